#include "lib/graph/ops/recipes.hpp"

#include "lib/base/text/letters.hpp"
#include "lib/base/text/module_names.hpp"

namespace ein::graph {
namespace {

struct Recipe {
    std::string_view written, nodes;
};

constexpr std::string_view attention =
    "{\"einsum\": \"qd,kd->qk\", \"join\": \"x*y/sqrt(size(d))\"}, a \"softmax\" over the last axis, then "
    "{\"einsum\": \"qk,kd->qd\"}; eintool make attention writes one";

constexpr std::string_view gradient =
    "{\"name\": \"g\", \"grad\": {\"of\": \"LOSS\", \"wrt\": [\"W\"]}} in place of \"op\" and of what goes with it; "
    "its "
    "value is \"g/W\"";

/// What is no op here, and how it is written.
constexpr Recipe recipes[]{
    {"cross_entropy",
     "{\"name\": \"lp\", \"op\": \"log_softmax\", \"inputs\": [\"LOGITS\"], \"axes\": [1]}, {\"name\": \"hot\", "
     "\"op\": "
     "\"one_hot\", \"inputs\": [\"LABELS\"], \"depth\": CLASSES}, {\"name\": \"loss\", \"einsum\": \"bc,bc->\", "
     "\"inputs\": "
     "[\"lp\", \"hot\"], \"join\": \"-x*y/size(b)\"}"},
    {"nll_loss",
     "{\"name\": \"hot\", \"op\": \"one_hot\", \"inputs\": [\"LABELS\"], \"depth\": CLASSES}, {\"name\": \"loss\", "
     "\"einsum\": "
     "\"bc,bc->\", \"inputs\": [\"LOG_PROBABILITIES\", \"hot\"], \"join\": \"-x*y/size(b)\"}"},
    {"linear",
     "{\"name\": \"XW\", \"einsum\": \"bi,oi->bo\", \"inputs\": [\"X\", \"W\"]}, {\"name\": \"Y\", \"einsum\": "
     "\"bo,o->bo\", "
     "\"inputs\": [\"XW\", \"BIAS\"], \"join\": \"x+y\"} with your names, Y being this node's (\"bi,io->bo\" for a W "
     "of inputs by outputs)"},
    {"mse_loss",
     "{\"einsum\": \"bi,bi->\", \"inputs\": [\"PREDICTED\", \"TARGET\"], \"join\": \"(x-y)^2/size(b)/size(i)\"} "
     "(\"b,b->\" and "
     "/size(b) alone for vectors)"},
    {"l1_loss",
     "{\"einsum\": \"bi,bi->\", \"inputs\": [\"PREDICTED\", \"TARGET\"], \"join\": \"abs(x-y)/size(b)/size(i)\"} "
     "(\"b,b->\" "
     "and /size(b) alone for vectors)"},
    {"dropout",
     "nothing: leave it out, as when a network is used; for training multiply by a mask that is a tensor, \"join\": "
     "\"where(y < 0.5, 0, x/0.5)\" with {\"random\": \"uniform\"}"},
    {"batch_norm",
     "a \"mean\" and a \"var\" over the batch, then {\"einsum\": \"bc,c,c->bc\", \"join\": \"(x-y)/sqrt(z+1e-5)\"}"},
    {"attention", attention},
    {"conv2d", "slices of the padded input, one einsum for each place of the kernel, and their sum"},
    {"swapaxes", "\"transpose\" with \"axes\": every axis in its new order"},
    {"expand_dims", "\"reshape\" with a \"shape\" that has the new extent of 1"},
    {"unsqueeze", "\"reshape\" with a \"shape\" that has the new extent of 1"},
    {"split", "a \"slice\" node for each piece"},
    {"chunk", "a \"slice\" node for each piece"},
    {"einsum", "\"einsum\": \"ij,jk->ik\" in place of \"op\" and of what goes with it"},
    {"scaled_dot_product_attention", attention},
    {"masked_fill",
     "{\"einsum\": \"ij,ij->ij\", \"inputs\": [\"X\", \"MASK\"], \"join\": \"where(y, -inf, x)\"}, with the value in "
     "place of "
     "-inf"},
    {"cumsum",
     "{\"einsum\": \"j->i\", \"inputs\": [\"X\"], \"sizes\": {\"i\": LENGTH}, \"join\": \"where([j] <= [i], x, 0)\"}"},
    {"cumprod",
     "{\"einsum\": \"j->i\", \"inputs\": [\"X\"], \"sizes\": {\"i\": LENGTH}, \"join\": \"where([j] <= [i], x, 1)\", "
     "\"agg\": \"prod\"}"},
    {"tril", "{\"einsum\": \"ij->ij\", \"inputs\": [\"X\"], \"join\": \"where([i] >= [j], x, 0)\"}"},
    {"triu", "{\"einsum\": \"ij->ij\", \"inputs\": [\"X\"], \"join\": \"where([i] <= [j], x, 0)\"}"},
    {"diag", "{\"einsum\": \"ii->i\", \"inputs\": [\"X\"]}, the diagonal of a matrix"},
    {"diagonal", "{\"einsum\": \"ii->i\", \"inputs\": [\"X\"]}"},
    {"trace", "{\"einsum\": \"ii->\", \"inputs\": [\"X\"]}"},
    {"sort", "it with the Python module: el.sort makes the nodes, el.save the graph"},
    {"argsort", "it with the Python module: el.argsort makes the nodes, el.save the graph"},
    {"topk", "it with the Python module: el.sort makes the nodes, [..., -K:] takes the last, el.save writes the graph"},
    {"median", "it with the Python module: el.median makes the nodes, el.save the graph"},
    {"quantile", "it with the Python module: el.quantile makes the nodes, el.save the graph"},
    {"percentile", "it with the Python module: el.percentile makes the nodes, el.save the graph"},
    {"solve", "it with the Python module: el.linalg.solve makes the nodes, el.save the graph"},
    {"inv", "it with the Python module: el.linalg.inv makes the nodes, el.save the graph"},
    {"det", "it with the Python module: el.linalg.det makes the nodes, el.save the graph"},
    {"cholesky", "it with the Python module: el.linalg.cholesky makes the nodes, el.save the graph"},
    {"grad", gradient},
    {"gradient", gradient},
    {"backward", gradient},
    {"autograd", gradient},
    {"value_and_grad", gradient},
    {"stack", "a \"reshape\" of each input to a new axis of 1, then \"concat\""},
};

std::string plain_name(std::string_view written) {
    std::string out;
    for (char const c : without_modules(written))
        if (c != '_') out += lower_letter(c);
    if (out.size() > 4 && out.ends_with("loss")) out.resize(out.size() - 4);
    return out;
}

}  // namespace

std::string recipe_for(std::string_view written) {
    std::string const name = plain_name(written);
    for (Recipe const& row : recipes)
        if (plain_name(row.written) == name) return std::string(row.nodes);
    return "";
}

std::string mend_inputs(std::string_view op) {
    struct Listed {
        std::string_view op, inputs;
    };
    constexpr Listed listed[]{
        {"where", "list the condition, what is taken where it holds, and what elsewhere: [\"MASK\", \"X\", \"Y\"]"},
        {"matmul", "write one product of all: \"einsum\": \"ij,jk,kl->il\", or a node for each"},
        {"dot", "write one product of all: \"einsum\": \"ij,jk,kl->il\", or a node for each"},
        {"gather", "list the table, then the indices: [\"T\", \"n\"]"},
        {"clip", "list the tensor, the least and the largest; or write \"join\": \"clip(x, 0, 1)\" for numbers"},
        {"concat", "list all tensors that are joined: [\"A\", \"B\"]"},
        {"layer_norm", "list the tensor, then the scale and the bias if there are some: [\"X\", \"SCALE\", \"BIAS\"]"},
    };
    for (Listed const& row : listed)
        if (row.op == op) return std::string(row.inputs);
    return "list the tensors that " + std::string(op) + " reads";
}

}  // namespace ein::graph
