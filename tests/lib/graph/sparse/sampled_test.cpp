#include "lib/graph/sparse/sampled.hpp"

#include "lib/graph/read_graph.hpp"
#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using graph::EinGraph;

namespace {

/// Sparse A, dense U and V with A's rows and columns, and these nodes.
EinGraph sampled(std::string const& nodes, std::string const& outputs, std::string const& of_a = "") {
    EinGraph graph = graph::read_graph(R"({"eingraph": 1, "dtype": "f64", "tensors": {
        "A": {"shape": [400, 300], "sparse": true)" +
                                           of_a + R"(}, "U": {"shape": [400, 8]}, "V": {"shape": [300, 8]},
        "D": {"shape": [400, 300]}}, "nodes": [)" +
                                           nodes + R"(], "outputs": [)" + outputs + "]}",
                                       "t.json");
    EinGraph out = graph::sample_at_listed(std::move(graph), [](EinGraph const&, graph::Leaf const&) { return true; });
    CHECK_NOTHROW(graph::verify(out, "test"));
    return out;
}

/// The names of what the node that makes a value reads.
std::vector<std::string> inputs_of(EinGraph const& graph, std::string const& name) {
    std::vector<std::string> out;
    for (graph::Node const& node : graph.nodes)
        if (graph.value(node.output).name == name)
            for (ValueId input : node.inputs) out.push_back(graph.value(input).name);
    return out;
}

using ValueNames = std::vector<std::string>;
std::string const product = R"({"name": "S", "einsum": "ir,jr->ij", "inputs": ["U", "V"]},)";

}  // namespace

TEST_CASE("a product that is read where a sparse tensor lists something is computed there", "[graph][sparse]") {
    EinGraph const graph = sampled(product + R"({"name": "M", "einsum": "ij,ij->ij", "inputs": ["A", "S"]})", R"("M")");
    CHECK(inputs_of(graph, "S") == ValueNames{"U", "V", "A:places"});
    CHECK(inputs_of(graph, "A:places") == ValueNames{"A"});
    for (graph::Node const& node : graph.nodes)
        if (graph.value(node.output).name == "S") {
            auto const& einsum = std::get<graph::EinSum>(node.op);
            CHECK(einsum.inputs[2] == einsum.output);
        }
}

TEST_CASE("places are found through transposes, functions and results on the way", "[graph][sparse]") {
    // W = mask * (D' - S'), whatever S is where the mask is 0; P = exp(S) as well; S is read by both.
    EinGraph const graph = sampled(product + R"g(
        {"name": "mask", "einsum": "ij->ji", "inputs": ["A"], "join": "where(x == 0, 0, 1)"},
        {"name": "P", "einsum": "ij->ij", "inputs": ["S"], "join": "exp(x)"},
        {"name": "W", "einsum": "ji,ij,ij->ji", "inputs": ["mask", "D", "S"], "join": "x*(y - z)"},
        {"name": "r", "einsum": "ji,ij->i", "inputs": ["mask", "P"]})g",
                                   R"("W", "r")");
    CHECK(inputs_of(graph, "S") == ValueNames{"U", "V", "A:places"});
    CHECK(inputs_of(graph, "P") == ValueNames{"S", "A:places"});
    CHECK(inputs_of(graph, "W") == ValueNames{"mask", "D", "S"});
}

TEST_CASE("what is read elsewhere too is computed everywhere", "[graph][sparse]") {
    auto const whole = [](std::string const& nodes, std::string const& outputs, std::string const& of_a = "") {
        CHECK(inputs_of(sampled(product + nodes, outputs, of_a), "S") == ValueNames{"U", "V"});
    };
    std::string const masked = R"({"name": "M", "einsum": "ij,ij->ij", "inputs": ["A", "S"]})";
    whole(masked, R"("M", "S")");
    whole(masked + R"(, {"name": "t", "einsum": "ij->i", "inputs": ["S"]})", R"("M", "t")");
    whole(masked + R"(, {"name": "t", "op": "reshape", "inputs": ["S"], "shape": [120000]})", R"("M", "t")");
    whole(R"({"name": "M", "einsum": "ij,ij->ij", "inputs": ["A", "S"], "join": "x+y"})", R"("M")");
    whole(R"({"name": "M", "einsum": "ij,ik->jk", "inputs": ["A", "S"]})", R"("M")");  // another label of S
    whole(masked, R"("M")", R"(, "fill": 2)");
}

TEST_CASE("a fill that decides the join samples as well", "[graph][sparse]") {
    EinGraph const graph =
        sampled(product + R"({"name": "m", "einsum": "ij,ij->i", "inputs": ["A", "S"], "join": "x+y", "agg": "min"})",
                R"("m")", R"(, "fill": "inf")");
    CHECK(inputs_of(graph, "S") == ValueNames{"U", "V", "A:places"});
}

TEST_CASE("what a loop carries lists nothing that another iteration must", "[graph][sparse]") {
    // A lists something at first; then it is whatever the iteration made.
    EinGraph const graph = sampled(R"({"name": "L", "loop": {"times": 3, "carry": {"A": "n"}, "body": [
            {"name": "S", "einsum": "ir,jr->ij", "inputs": ["U", "V"]},
            {"name": "M", "einsum": "ij,ij->ij", "inputs": ["A", "S"]},
            {"name": "n", "einsum": "ij,ij->ij", "inputs": ["M", "D"], "join": "x + y"}]}})",
                                   R"("L/A")");
    CHECK(inputs_of(graph, "L/S") == ValueNames{"U", "V"});
}
