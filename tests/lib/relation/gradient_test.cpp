// Gradients of every kind of node and of random graphs against central differences. EIN_SEEDS=FIRST:COUNT runs other
// graphs.
#include "lib/graph/read/einsum/named_agg.hpp"
#include "tests/lib/relation/gradient_support.hpp"
#include "tests/support/random_graph.hpp"

using namespace ein;
using namespace ein::test;

namespace {

Json uniform(std::uint64_t seed, double low = -1, double high = 1) {
    return {{"random", "uniform"}, {"low", low}, {"high", high}, {"seed", seed}};
}

/// A graph of tensors A (2, 3), B (3, 4), C (4, 5), D (3, 3), v (3), s (), t (1, 3), n of i64 (2, 3) below 3, z and u
/// of c128 (2, 3) and (3, 2), and P (2, 3) of positive numbers; its nodes; and a loss that is the weighted sum of
/// squares of "out".
Json graph_of(Json nodes, std::string const& weight = "(x^2/2 + x)") {
    Json tensors;
    auto add = [&](std::string const& name, Shape const& shape, std::string const& dtype, Json data) {
        tensors[name] = {{"shape", shape}, {"dtype", dtype}, {"data", std::move(data)}};
    };
    add("A", {2, 3}, "f64", uniform(1)), add("B", {3, 4}, "f64", uniform(2)), add("C", {4, 5}, "f64", uniform(3));
    add("D", {3, 3}, "f64", uniform(4)), add("v", {3}, "f64", uniform(5)), add("s", {}, "f64", uniform(6));
    add("t", {1, 3}, "f64", uniform(7)), add("n", {2, 3}, "i64", uniform(8, 0, 3));
    add("z", {2, 3}, "c128", uniform(9)), add("u", {3, 2}, "c128", uniform(10)),
        add("P", {2, 3}, "f64", uniform(11, 0.5, 2));
    nodes.push_back({{"name", "loss"}, {"inputs", {"out"}}, {"join", weight}, {"dtype", "f64"}});
    return {{"eingraph", 1}, {"name", "gradient"}, {"params", {{"eta", 0.5}}}, {"tensors", tensors}, {"nodes", nodes}};
}

/// The loss over every axis of an "out" of this order.
void close(Json& graph, std::size_t order) {
    Json labels = Json::array();
    for (std::size_t k = 0; k < order; ++k) labels.push_back("l" + std::to_string(k));
    for (Json& node : graph["nodes"])
        if (node["name"] == "loss") node["einsum"] = {{"in", Json::array({labels})}, {"out", Json::array()}};
}

std::size_t order_of(Json graph) {
    std::erase_if(graph["nodes"].get_ref<Json::array_t&>(), [](Json const& node) { return node["name"] == "loss"; });
    graph["outputs"] = {"out"};
    graph::EinGraph const read = graph::read_graph(graph.dump(), "gradient.json");
    return read.value(read.outputs[0]).shape.size();
}

Checked check_nodes(Json nodes, std::string const& weight = "(x^2/2 + x)") {
    Json graph = graph_of(std::move(nodes), weight);
    CAPTURE(graph["nodes"].dump());
    close(graph, order_of(graph));
    Checked const checked = check_gradients(graph);
    CHECK(checked.skipped <= checked.elements / 10);
    return checked;
}

Checked check_node(std::string const& keys, std::string const& weight = "(x^2/2 + x)") {
    return check_nodes(Json::array({Json::parse("{\"name\": \"out\", " + keys + "}")}), weight);
}

}  // namespace

TEST_CASE("every aggregation has a gradient, or none because it asks or gives an index", "[lib][relation][gradient]") {
    for (std::string const& name : graph::named_agg_names()) {
        auto const agg = graph::named_agg(name);
        REQUIRE(agg.has_value());
        if (scalar::info(agg->agg).asks || agg->one_label) continue;
        CAPTURE(name);
        CHECK(check_node(R"("einsum": "ij->i", "inputs": ["P"], "agg": ")" + name + "\"").elements > 0);
        CHECK(check_node(R"("einsum": "ij,j->i", "inputs": ["A", "v"], "join": "2*x - y", "agg": ")" + name + "\"")
                  .elements > 0);
    }
}

TEST_CASE("gradients of EinSums agree with differences", "[lib][relation][gradient]") {
    auto const keys = GENERATE(
        R"~("einsum": "ij,jk->ik", "inputs": ["A", "B"])~", R"~("einsum": "ij->ji", "inputs": ["A"])~",
        R"~("einsum": "ii->i", "inputs": ["D"])~", R"~("einsum": "ii->", "inputs": ["D"])~",
        R"~("einsum": "ii,ij->j", "inputs": ["D", "D"])~", R"~("einsum": "ij,ij->ij", "inputs": ["A", "A"])~",
        R"~("einsum": "ij,jk,j->ik", "inputs": ["A", "B", "v"])~", R"~("einsum": ",i->i", "inputs": ["s", "v"])~",
        R"~("einsum": "ij,jk,kl,jm->im", "inputs": ["A", "B", "C", "D"])~",
        R"~("einsum": "ki,kj->ij", "inputs": ["A", "A"])~",
        R"~("einsum": "i->ir", "inputs": ["v"], "sizes": {"r": 4})~", R"~("einsum": "ij->i", "inputs": ["A"])~",
        R"~("einsum": "ij->i", "inputs": ["A"], "join": "where([i] >= [j], eta*x, 2)")~",
        R"~("einsum": "ij,j->i", "inputs": ["A", "v"], "join": "x + y")~",
        R"~("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "(x - y)^2")~",
        R"~("einsum": "ij,j->", "inputs": ["A", "v"], "join": "exp(x - y)")~",
        R"~("einsum": "i,j->", "inputs": ["v", "v"], "join": "x + 2*y")~",
        R"~("einsum": "i,j->", "inputs": ["v", "v"], "join": "x*[j] + y")~",
        R"~("einsum": "i,jk->i", "inputs": ["v", "A"], "join": "x")~",
        R"~("einsum": "i->ir", "inputs": ["v"], "sizes": {"r": 4}, "join": "x*[r]")~",
        R"~("einsum": "i->", "inputs": ["v"], "join": "[i]*x")~",
        R"~("einsum": "i,jk,jk->i", "inputs": ["v", "A", "A"], "join": "x*y + z")~",
        R"~("einsum": "ij,ij->ij", "inputs": ["A", "t"], "join": "x - y")~",
        R"~("einsum": "...,...->...", "inputs": ["A", "v"], "join": "x*exp(y)")~",
        R"~("einsum": "ij,ij->i", "inputs": ["A", "n"], "join": "x*y + tanh(x)")~",
        R"~("einsum": "ij,jk,ij->", "inputs": ["A", "B", "A"], "join": "x*y + z")~",
        R"~("einsum": "iij->j", "inputs": ["X"])~",
        R"~("einsum": "ij,j->ij", "inputs": ["A", "v"], "join": "x/(1+exp(-y))")~",
        R"~("einsum": "ij->ij", "inputs": ["A"], "join": "floor(3*x)*x")~");
    if (std::string(keys).find("\"X\"") == std::string::npos) {
        check_node(keys);
        if (std::string(keys).find("ij->\"") == std::string::npos)
            check_node(keys, "3*x");  // a cotangent that is one number
    } else {
        check_nodes(Json::array({Json::parse(R"~({"name": "X", "einsum": "ij,k->ijk", "inputs": ["D", "v"]})~"),
                                 Json::parse(std::string("{\"name\": \"out\", ") + keys + "}")}));
    }
}

TEST_CASE("gradients of aggregations agree with differences", "[lib][relation][gradient]") {
    auto const keys =
        GENERATE(R"~("einsum": "ij->i", "inputs": ["A"], "agg": "max")~",
                 R"~("einsum": "ij->j", "inputs": ["A"], "agg": "min")~",
                 R"~("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "x + y", "agg": "min")~",
                 R"~("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "x*y*0.3", "agg": "max")~",
                 R"~("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "join": "x + y + z", "agg": "max")~",
                 R"~("einsum": "ij->i", "inputs": ["A"], "agg": "prod")~",
                 R"~("einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "x + y", "agg": "prod")~",
                 R"~("einsum": "ij->i", "inputs": ["A"], "join": "where([j] == 1, 0, x)", "agg": "prod")~",
                 R"~("einsum": "ij->i", "inputs": ["A"], "join": "where([j] == 1, x - x, x)", "agg": "prod")~",
                 R"~("einsum": "ij->i", "inputs": ["A"], "agg": "logsumexp")~",
                 R"~("einsum": "ij,jk,kl->il", "inputs": ["A", "B", "C"], "join": "x + y + z", "agg": "logsumexp")~",
                 R"~("einsum": "ij->", "inputs": ["A"], "join": "where([i] > 0, x, -inf)", "agg": "logsumexp")~",
                 R"~("einsum": "ij->ij", "inputs": ["A"], "join": "2*x", "agg": "logsumexp")~",
                 R"~("einsum": "ij,k->i", "inputs": ["A", "v"], "join": "x", "agg": "max")~",
                 R"~("einsum": "ij,k->i", "inputs": ["A", "v"], "join": "x", "agg": "prod")~",
                 R"~("einsum": "ij,k->i", "inputs": ["A", "v"], "join": "x*[k]", "agg": "sum")~",
                 R"~("einsum": "ij->i", "inputs": ["z"], "agg": "prod")~",
                 R"~("einsum": "ii->", "inputs": ["D"], "agg": "max")~");
    bool const complex = std::string(keys).find("\"z\"") != std::string::npos;
    check_node(keys, complex ? "real(x*complex(0.3, 0.7))" : "(x^2/2 + x)");
    if (!complex) check_node(keys, "x");
}

TEST_CASE("gradients of ops agree with differences", "[lib][relation][gradient]") {
    auto const keys = GENERATE(
        R"~("op": "softmax", "inputs": ["A"])~", R"~("op": "softmax", "inputs": ["B"], "axes": [0, 1])~",
        R"~("op": "log_softmax", "inputs": ["A"])~",
        R"~("op": "logsumexp", "inputs": ["A"], "axis": 0, "keepdims": true)~", R"~("op": "mean", "inputs": ["A"])~",
        R"~("op": "var", "inputs": ["A"], "axis": 1, "ddof": 1)~", R"~("op": "rms_norm", "inputs": ["A", "v"])~",
        R"~("op": "layer_norm", "inputs": ["A", "v", "v"])~",
        R"~("op": "reshape", "inputs": ["B"], "shape": [2, -1, 3])~", R"~("op": "transpose", "inputs": ["B"])~",
        R"~("op": "slice", "inputs": ["B"], "slices": "1:, ::-1")~",
        R"~("op": "slice", "inputs": ["B"], "slices": "::2, ::-2")~",
        R"~("op": "slice", "inputs": ["C"], "slices": "1:4:2, 3:0:-2")~",
        R"~("op": "slice", "inputs": ["B"], "slices": [-1, "..."])~",
        R"~("op": "slice", "inputs": ["B"], "slices": "0:0, ::2")~", R"~("op": "concat", "inputs": ["A", "t", "A"])~",
        R"~("op": "pad", "inputs": ["B"], "pad_width": [[1, 2], [0, 3]], "constant_values": 2)~",
        R"~("op": "pad", "inputs": ["B"], "pad_width": 5, "mode": "reflect")~",
        R"~("op": "pad", "inputs": ["B"], "pad_width": 3, "mode": "symmetric")~",
        R"~("op": "pad", "inputs": ["B"], "pad_width": 2, "mode": "edge")~",
        R"~("op": "pad", "inputs": ["A"], "pad_width": 7, "mode": "wrap")~",
        R"~("op": "gather", "inputs": ["B", "n"])~", R"~("op": "gather", "inputs": ["B", "n"], "axis": 1)~",
        R"~("op": "cast", "inputs": ["A"], "dtype": "f64")~");
    check_node(keys);
    check_node(keys, "x");
}

TEST_CASE("gradients of complex tensors are dL/dRe + i dL/dIm", "[lib][relation][gradient]") {
    auto const [keys, weight] = GENERATE(table<std::string, std::string>(
        {{R"~("einsum": "ij,jk->ik", "inputs": ["z", "u"])~", "real(x*conj(x))"},
         {R"~("einsum": "ij,jk->ik", "inputs": ["z", "B"])~", "real(x^2) + imag(x)"},
         {R"~("einsum": "ij,jk->ik", "inputs": ["A", "u"], "join": "x*conj(y)")~", "abs(x)"},
         {R"~("einsum": "ij->ij", "inputs": ["z"], "join": "abs(x)", "dtype": "f64")~", "x^2"},
         {R"~("einsum": "ij,ij->ij", "inputs": ["A", "P"], "join": "complex(x, floor(y)*y)", "dtype": "c128")~",
          "real(x*x)"},
         {R"~("einsum": "ij,ij->ij", "inputs": ["A", "P"], "join": "max(x, y)", "dtype": "c128")~",
          "real(x*complex(1, 2)*x)"},
         {R"~("einsum": "ij,j->i", "inputs": ["A", "v"], "join": "max(x, y)", "agg": "max", "dtype": "c128")~",
          "real(x*complex(1, 2)*x)"},
         {R"~("op": "cast", "inputs": ["z"], "dtype": "f64")~", "x^2"},
         {R"~("op": "cast", "inputs": ["A"], "dtype": "c128")~", "real(x*x)"},
         {R"~("op": "mean", "inputs": ["z"], "axis": 1)~", "real(x*conj(x))"},
         {R"~("op": "var", "inputs": ["z"], "axis": 1)~", "x"},
         {R"~("op": "slice", "inputs": ["z"], "slices": "::-1, ::2")~", "real(exp(x))"},
         {R"~("op": "concat", "inputs": ["z", "A"])~", "abs(x)^3"}}));
    check_node(keys, weight);
}

TEST_CASE("gradients of several readers are added up", "[lib][relation][gradient]") {
    auto const nodes = GENERATE(
        R"~([{"name": "h", "einsum": "ij->ij", "inputs": ["A"], "join": "tanh(x)"},
            {"name": "k", "einsum": "ij->i", "inputs": ["h"]},
            {"name": "m", "einsum": "ij->i", "inputs": ["h"], "agg": "max"},
            {"name": "out", "einsum": "i,i,ij->ij", "inputs": ["k", "m", "h"], "join": "x*y+z"}])~",
        R"~([{"name": "a", "op": "slice", "inputs": ["B"], "slices": ":, 0:2"},
            {"name": "b", "op": "slice", "inputs": ["B"], "slices": ":, 2:3"},
            {"name": "c", "op": "slice", "inputs": ["B"], "slices": ":, 1:4"},
            {"name": "d", "op": "concat", "inputs": ["a", "b", "c"], "axis": 1},
            {"name": "out", "einsum": "ij->ij", "inputs": ["d"], "join": "x*[j]"}])~",
        R"~([{"name": "f", "op": "reshape", "inputs": ["A"], "shape": [6]},
            {"name": "e", "op": "reshape", "inputs": ["f"], "shape": [3, 2]},
            {"name": "out", "einsum": "ij,jk->ik", "inputs": ["A", "e"]}])~",
        R"~([{"name": "r", "einsum": "ij,ij->ij", "inputs": ["A", "A"], "join": "x + sin(y)"},
            {"name": "q", "einsum": "ij,ij->ij", "inputs": ["A", "r"], "join": "x + y"},
            {"name": "p", "einsum": "ij,ji->ij", "inputs": ["q", "q2"], "join": "x*y"},
            {"name": "q2", "op": "transpose", "inputs": ["q"]},
            {"name": "out", "einsum": "ij->", "inputs": ["p"]}])~");
    check_nodes(Json::parse(nodes));
}

TEST_CASE("second derivatives agree with differences of first ones", "[lib][relation][gradient]") {
    auto const node =
        GENERATE(R"~("einsum": "ij,jk->ik", "inputs": ["A", "B"])~", R"~("op": "softmax", "inputs": ["A"])~",
                 R"~("op": "log_softmax", "inputs": ["A"])~", R"~("op": "layer_norm", "inputs": ["A"])~",
                 R"~("op": "logsumexp", "inputs": ["A"], "axis": 1)~", R"~("op": "var", "inputs": ["A"], "axis": 1)~",
                 R"~("einsum": "ij->i", "inputs": ["A"], "agg": "prod")~",
                 R"~("einsum": "ij->i", "inputs": ["A"], "agg": "max", "join": "x^3")~",
                 R"~("einsum": "ij,ij->i", "inputs": ["A", "P"], "join": "y^x*gelu(x)")~",
                 R"~("op": "slice", "inputs": ["A"], "slices": "::-1, ::2")~",
                 R"~("einsum": "ij->ij", "inputs": ["z"], "join": "x*abs(x)")~");
    bool const complex = std::string(node).find("\"z\"") != std::string::npos;
    std::string const leaf = complex ? "z" : "A";
    Json graph = graph_of(Json::array({Json::parse(std::string("{\"name\": \"out\", ") + node + "}")}),
                          complex ? "real(exp(x))" : "exp(x)*x");
    CAPTURE(node);
    close(graph, order_of(graph));
    for (Json& each : graph["nodes"])
        if (each["name"] == "loss") each["name"] = "first";
    graph["nodes"].push_back({{"name", "inner"}, {"grad", {{"of", "first"}, {"wrt", {leaf}}}}});
    graph["nodes"].push_back({{"name", "loss"},
                              {"einsum", "ij->"},
                              {"inputs", {"inner/" + leaf}},
                              {"dtype", "f64"},
                              {"join", complex ? "real(x*complex([i] + 0.3, [j] - 0.8))" : "x^2*([i] + 0.3*[j])"}});
    Checked const checked = check_gradients(graph, 1e-5);
    CHECK(checked.elements >= 6);
}

TEST_CASE("gradients of random graphs agree with differences", "[lib][relation][gradient]") {
    auto const [first, count] = seeds(120);
    Checked all;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        std::string text =
            random_graph(seed, {.dtype = seed % 4 == 0 ? "c128" : "f64", .nodes = 5, .zero_extents = false}).dump();
        for (std::size_t at; (at = text.find("\"f32\"")) != std::string::npos;)
            text.replace(at, 5, "\"f64\"");  // differences need digits
        Json graph = Json::parse(text);
        graph::EinGraph const read = graph::read_graph(text, "random.json");
        Json sums = Json::array();
        std::string total = "0";
        for (ValueId output : read.outputs) {
            graph::Value const& value = read.value(output);
            if (!scalar::is_differentiable(value.dtype)) continue;
            Json labels = Json::array();
            for (std::size_t k = 0; k < value.shape.size(); ++k) labels.push_back("l" + std::to_string(k));
            std::string const join = is_complex(value.dtype) ? "real(x*conj(x))/2 + imag(x)" : "x^2/2 + x";
            sums.push_back("sum of " + value.name);
            graph["nodes"].push_back({{"name", sums.back()},
                                      {"inputs", {value.name}},
                                      {"join", join},
                                      {"dtype", "f64"},
                                      {"einsum", {{"in", Json::array({labels})}, {"out", Json::array()}}}});
            total += " + x" + std::to_string(sums.size() - 1);
        }
        if (sums.empty()) continue;
        Json const none = Json::array();
        graph["nodes"].push_back({{"name", "loss"},
                                  {"inputs", sums},
                                  {"join", total},
                                  {"einsum", {{"in", Json(sums.size(), none)}, {"out", none}}}});
        INFO("seed " << seed << "\n" << graph.dump());
        try {
            Checked const checked = check_gradients(graph, 1e-6, 3);
            all.elements += checked.elements, all.skipped += checked.skipped;
        } catch (std::exception const& error) {
            FAIL_CHECK(error.what());
        }
    }
    CHECK(all.skipped <= all.elements / 10);
    CHECK(all.elements >= static_cast<int>(count));
}

TEST_CASE("gradients of large logits are finite", "[lib][relation][gradient]") {
    Json const graph = Json::parse(R"~({"eingraph": 1, "dtype": "f32",
        "tensors": {"x": {"shape": [3], "data": {"values": [1e4, 1e4, -1e4]}},
                    "y": {"shape": [3], "data": {"values": [0, 1, 0]}},
                    "m": {"shape": [2], "data": {"values": ["-inf", "-inf"]}}},
        "nodes": [{"name": "p", "op": "softmax", "inputs": ["x"]}, {"name": "l", "op": "log_softmax", "inputs": ["x"]},
                  {"name": "e", "op": "logsumexp", "inputs": ["m"]},
                  {"name": "loss", "einsum": "i,i,i->", "inputs": ["p", "l", "y"], "join": "x*x - y*z"},
                  {"name": "g", "grad": {"of": "loss", "wrt": ["x"]}},
                  {"name": "h", "grad": {"of": "e", "wrt": ["m"]}}],
        "outputs": ["g/x", "h/m"]})~");
    tensor::HostTensor const found = Evaluation(graph)("g/x"), of_nothing = Evaluation(graph)("h/m");
    CHECK(std::abs(found.at(0).number - 0.5) < 1e-6);
    CHECK(std::abs(found.at(1).number + 0.5) < 1e-6);
    CHECK(found.at(2).number == 0.0);
    CHECK(of_nothing.at(0).number == 0.0);
}

TEST_CASE("equal maxima share their gradient, and zeros of a product have theirs", "[lib][relation][gradient]") {
    Json const graph = Json::parse(R"~({"eingraph": 1, "dtype": "f64",
        "tensors": {"x": {"shape": [2, 4], "data": {"values": [[3, 1, 3, 3], [0, 2, 5, 1]]}},
                    "y": {"shape": [2], "data": {"values": [0, 0]}}},
        "nodes": [{"name": "m", "einsum": "ij->", "inputs": ["x"], "join": "where([i] == 0, x, 0)", "agg": "max"},
                  {"name": "p", "einsum": "ij->", "inputs": ["x"], "join": "where([i] == 1, x, 1)", "agg": "prod"},
                  {"name": "q", "einsum": "i->", "inputs": ["y"], "agg": "prod"},
                  {"name": "g", "grad": {"of": "m", "wrt": ["x"]}}, {"name": "h", "grad": {"of": "p", "wrt": ["x"]}},
                  {"name": "k", "grad": {"of": "q", "wrt": ["y"]}}],
        "outputs": ["g/x", "h/x", "k/y"]})~");
    Evaluation const values(graph);
    std::vector<double> maximum, product;
    for (Extent k = 0; k < 8; ++k) {
        maximum.push_back(values("g/x").at(k).number.real());
        product.push_back(values("h/x").at(k).number.real());
    }
    CHECK(maximum == std::vector<double>{1. / 3, 0, 1. / 3, 1. / 3, 0, 0, 0, 0});
    CHECK(product == std::vector<double>{0, 0, 0, 0, 10, 0, 0, 0});
    CHECK(values.element("k/y") == 0.0);
}

TEST_CASE("maxima that were rounded are found again", "[lib][relation][gradient]") {
    auto const join = GENERATE("x", "0.3*x*y", "x/3 + y", "exp(x*y)");
    auto const inputs = GENERATE("f64", "f32", "f16", "bf16"), output = GENERATE("f64", "f32", "f16", "bf16");
    Json graph = Json::parse(R"({"eingraph": 1,
        "tensors": {"x": {"shape": [4, 5], "data": {"random": "uniform", "low": 1, "high": 2, "seed": 1}},
                    "y": {"shape": [5], "data": {"random": "uniform", "low": 1, "high": 2, "seed": 2}}},
        "nodes": [{"name": "m", "einsum": "ij,j->i", "inputs": ["x", "y"], "agg": "max"},
                  {"name": "loss", "einsum": "i->", "inputs": ["m"]},
                  {"name": "g", "grad": {"of": "loss", "wrt": ["x"]}},
                  {"name": "rows", "einsum": "ij->i", "inputs": ["g/x"], "dtype": "f64"}],
        "outputs": ["rows"]})");
    graph["dtype"] = inputs;
    graph["nodes"][0]["join"] = join;
    graph["nodes"][0]["dtype"] = output;
    CAPTURE(join, inputs, output);
    tensor::HostTensor const rows = Evaluation(graph)("rows");
    for (Extent k = 0; k < 4; ++k) CHECK(rows.at(k).number.real() > 0.2);
}
