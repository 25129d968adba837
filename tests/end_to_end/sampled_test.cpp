// Dense results that are read at the places of a sparse tensor alone, against the interpreter of the graph as written.
#include "lib/graph/sparse/make_dense.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

std::string const sampled_product = R"g({"name": "S", "einsum": "ir,jr->ij", "inputs": ["U", "V"]},)g";

/// Nodes over sparse A and B (zeros among what A lists), dense U, V and D, and their outputs.
struct Work {
    std::string nodes, outputs;
    std::string fill = "0";
    std::size_t sampled = 1;  // values that are kept sparse though they are products of dense ones
};

std::vector<Work> const works{
    {sampled_product + R"g({"name": "M", "einsum": "ij,ij->ij", "inputs": ["A", "S"]})g", R"g("M")g"},
    {sampled_product + R"g({"name": "P", "einsum": "ij->ji", "inputs": ["S"], "join": "exp(x)"},
                  {"name": "m", "einsum": "ij,ji->j", "inputs": ["A", "P"]})g",
     R"g("m")g", "0", 2},
    {R"g({"name": "known", "einsum": "ij->ij", "inputs": ["A"], "join": "where(x == 0, 0, 1)"},)g" + sampled_product +
         R"g({"name": "loss", "einsum": "ij,ij,ij->", "inputs": ["known", "A", "S"], "join": "x*(y - z)^2"},
            {"name": "g", "grad": {"of": "loss", "wrt": ["U", "V"]}})g",
     R"g("loss", "g/U", "g/V")g"},
    {sampled_product + R"g({"name": "m", "einsum": "ij,ij->i", "inputs": ["A", "S"], "join": "x + y", "agg": "min"})g",
     R"g("m")g", "\"inf\""},
    {R"g({"name": "L", "loop": {"times": 3, "carry": {"U": "u"}, "body": [)g" + sampled_product +
         R"g({"name": "E", "einsum": "ij,ij,ij->ij", "inputs": ["A", "S", "D"], "join": "x*(y - z)"},
            {"name": "u", "einsum": "ij,jr->ir", "inputs": ["E", "V"], "join": "0.1*x*y"}]}})g",
     R"g("L/U")g"},
    // Functions on the way, which S decides nothing about.
    {sampled_product + R"g({"name": "E", "einsum": "ij,ij->ij", "inputs": ["A", "S"], "join": "x*exp(-y*y)"},
            {"name": "m", "einsum": "ij,j->i", "inputs": ["E", "V1"], "join": "x*y"})g",
     R"g("E", "m")g"},
    {sampled_product +
         R"g({"name": "loss", "einsum": "ij,ij->", "inputs": ["A", "S"], "join": "where(x != 0, (x - y)^2, 0)"},
            {"name": "g", "grad": {"of": "loss", "wrt": ["U", "V"]}})g",
     R"g("loss", "g/U", "g/V")g"},
    // Two that do not agree: all of S is made.
    {sampled_product + R"g({"name": "M", "einsum": "ij,ij->ij", "inputs": ["A", "S"]},
                  {"name": "N", "einsum": "ij,ij->ij", "inputs": ["B", "S"]})g",
     R"g("M", "N")g", "0", 0},
};

Json graph_of(Work const& work, std::string const& dtype) {
    auto const random = [](int seed) {
        return R"g({"random": "uniform", "low": -1, "seed": )g" + std::to_string(seed) + "}";
    };
    return Json::parse(R"g({"eingraph": 1, "dtype": ")g" + dtype + R"g(", "tensors": {
        "A": {"shape": [13, 11], "sparse": true, "fill": )g" +
                       work.fill + R"g(,
              "data": {"random": "uniform", "low": -1, "density": 0.2, "seed": 1}},
        "B": {"shape": [13, 11], "sparse": true, "data": {"random": "uniform", "density": 0.2, "seed": 5}},
        "U": {"shape": [13, 4], "data": )g" +
                       random(2) + R"g(}, "V": {"shape": [11, 4], "data": )g" + random(3) + R"g(},
        "V1": {"shape": [11], "data": )g" +
                       random(6) + R"g(}, "D": {"shape": [13, 11], "data": )g" + random(4) + R"g(}}, "nodes": [)g" +
                       work.nodes + R"g(], "outputs": [)g" + work.outputs + "]}");
}

bool is_sampled(graph::EinGraph const& graph, ValueId value) {
    std::optional<NodeId> const producer = graph.producers()[static_cast<std::size_t>(value.value())];
    if (!producer) return false;
    std::vector<ValueId> const& inputs = graph.node(*producer).inputs;
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](ValueId input) { return graph.value(input).name == "A:places"; });
}

std::size_t places_read(graph::EinGraph const& graph) {
    std::size_t out = 0;
    for (graph::Node const& node : graph.nodes)
        for (ValueId input : node.inputs) out += graph.value(input).name == "A:places";
    return out;
}

}  // namespace

TEST_CASE("results at listed places are those of the graph as it is written", "[end_to_end][sparse]") {
    auto const dtype = GENERATE("f64", "f32", "c128");
    auto const ranks = GENERATE(1, 2, 3, 5, 7);
    for (Work const& work : works) {
        if (dtype == std::string("c128") && work.outputs.find("loss") != std::string::npos) continue;  // a real scalar
        if (dtype == std::string("c128") && work.fill != "0") continue;                                // has no order
        INFO(work.nodes << " in " << dtype << " on " << ranks << " ranks");
        test::WholeRun const run =
            test::whole_run(graph_of(work, dtype), {.ranks = ranks, .split = test::smallest_pieces});
        test::check_results(run);
        for (graph::MadeDense const& made : graph::made_dense(run.graph))
            CHECK_FALSE(is_sampled(run.graph, made.sparse));
        CHECK(places_read(run.graph) == work.sampled);
        CHECK_NOTHROW(graph::verify(run.graph, "test"));
    }
}
