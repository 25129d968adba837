// Gradients from JSON to results on several ranks, against the interpreter: the example of a training step, and graphs
// of every kind of node.
#include "lib/base/json.hpp"
#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

void check(Json const& graph, int ranks) {
    test::WholeRunSetup setup;
    setup.ranks = ranks;
    setup.split = test::smallest_pieces;
    test::WholeRun const run = test::whole_run(graph, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected) {
        double const tolerance = 100 * tensor::tolerance(expected.dtype(), run.reduction_length.at(name));
        tensor::Difference const d = tensor::compare(run.results.at(name), expected, tolerance);
        CAPTURE(name, ranks, d.worst, d.max_abs, d.max_rel);
        CHECK((d.count == 0 || d.max_abs <= tolerance));
    }
}

}  // namespace

TEST_CASE("a training step with gradients runs on any number of ranks", "[end_to_end][gradient]") {
    check(Json::parse(read_text_file(EIN_EXAMPLES "/classifier-training.json")), GENERATE(1, 2, 3));
}

TEST_CASE("gradients of every kind of node run on any number of ranks", "[end_to_end][gradient]") {
    auto const dtype = GENERATE("f32", "f64");
    Json graph = Json::parse(R"~({"eingraph": 1, "params": {"eta": 0.5},
        "tensors": {"E": {"shape": [11, 6], "data": {"random": "normal", "seed": 1}},
                    "n": {"shape": [7, 5], "dtype": "i64", "data": {"random": "uniform", "high": 11, "seed": 2}},
                    "W": {"shape": [6, 8], "data": {"random": "normal", "seed": 3}},
                    "b": {"shape": [8], "data": {"random": "normal", "seed": 4}}},
        "nodes": [{"name": "e", "op": "gather", "inputs": ["E", "n"]},
                  {"name": "h", "einsum": "abd,df->abf", "inputs": ["e", "W"]},
                  {"name": "l", "op": "layer_norm", "inputs": ["h", "b", "b"]},
                  {"name": "s", "op": "softmax", "inputs": ["l"], "axes": [1, 2]},
                  {"name": "r", "op": "reshape", "inputs": ["s"], "shape": [35, 8]},
                  {"name": "c", "op": "slice", "inputs": ["r"], "slices": "::-2, 1:7:3"},
                  {"name": "p", "op": "pad", "inputs": ["c"], "pad_width": 2, "mode": "reflect"},
                  {"name": "d", "einsum": "ij,kj->ik", "inputs": ["p", "p"], "join": "eta*abs(x - y)*([k] + 1)",
                   "agg": "max"},
                  {"name": "m", "einsum": "abf->b", "inputs": ["h"], "join": "x/4", "agg": "prod"},
                  {"name": "t", "einsum": "abf->f", "inputs": ["h"], "agg": "logsumexp"},
                  {"name": "k", "op": "concat", "inputs": ["t", "m", "b"]},
                  {"name": "loss", "einsum": "ij,k->", "inputs": ["d", "k"], "join": "x*tanh(y)"},
                  {"name": "g", "grad": {"of": "loss", "wrt": ["E", "W", "b", "h"]}}],
        "outputs": ["loss", "g/E", "g/W", "g/b", "g/h"]})~");
    graph["dtype"] = dtype;
    check(graph, GENERATE(1, 2, 3, 4));
}

TEST_CASE("a deviation of 0 has the gradient 0", "[end_to_end][gradient]") {
    Json const graph = Json::parse(R"~({"eingraph": 1, "dtype": "f64",
        "tensors": {"A": {"shape": [3, 2], "data": {"values": [[1, 1], [2, 5], [-3, -3]]}}},
        "nodes": [{"name": "s", "op": "std", "inputs": ["A"], "axes": [1]},
                  {"name": "loss", "op": "sum", "inputs": ["s"]},
                  {"name": "g", "grad": {"of": "loss", "wrt": ["A"]}}],
        "outputs": ["g/A"]})~");
    test::WholeRunSetup setup;
    setup.ranks = 2;
    test::WholeRun const run = test::whole_run(graph, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    constexpr double expected[] = {0, 0, -0.5, 0.5, 0, 0};
    for (std::int64_t at = 0; at < 6; ++at) CHECK(run.results.at("g/A").at(at).number == expected[at]);
}
