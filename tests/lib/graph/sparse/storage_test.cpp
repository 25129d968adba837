#include "lib/graph/sparse/storage.hpp"

#include "lib/base/error.hpp"
#include "lib/graph/lower_graph.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/graph/sparse/make_dense.hpp"
#include "lib/graph/sparse/same_places.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using graph::EinGraph;
using graph::Node;

namespace {

/// Sparse A and B, dense X and y, and these nodes.
EinGraph graph_of(std::string const& nodes, std::string const& outputs) {
    return graph::read_graph(R"({"eingraph": 1, "dtype": "f64", "tensors": {
        "A": {"shape": [4, 3], "sparse": true}, "B": {"shape": [3, 5], "sparse": true}, "X": {"shape": [4, 3]},
        "y": {"shape": [3]}}, "nodes": [)" +
                                 nodes + R"(], "outputs": [)" + outputs + "]}",
                             "t.json");
}

/// Everything that can be is kept sparse.
std::optional<graph::Listing> keep(EinGraph const&, graph::Node const&, graph::IdleSets const& idle) {
    return graph::Listing{idle.fill.value()};
}

graph::Value const& named(EinGraph const& graph, std::string const& name) {
    for (graph::Value const& value : graph.values)
        if (value.name == name) return value;
    throw InternalError("no value " + name);
}

std::string message(std::string const& nodes) {
    try {
        graph::lower_graph(graph_of(nodes, R"("Z")"), keep, "t.json");
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a node that looks at all elements reads a dense copy", "[graph][sparse]") {
    EinGraph const graph = graph::lower_graph(
        graph_of(R"g({"name": "Z", "einsum": "ij,ij->i", "inputs": ["X", "A"], "join": "x*(y + 1)"})g", R"("Z")"));
    REQUIRE(graph.nodes.size() == 2);
    CHECK(graph.value(graph.nodes[0].output).name == "A:dense");
    CHECK(graph.nodes[1].inputs[1] == graph.nodes[0].output);
    CHECK(graph.value(graph.nodes[0].inputs[0]).listing);
    auto const made = graph::made_dense(graph);
    REQUIRE(made.size() == 1);
    CHECK(made[0].readers == std::vector<NodeId>{NodeId{1}});
    CHECK_NOTHROW(graph::verify(graph, "test"));
    CHECK(graph::why_dense(graph, graph.nodes[1], 1) ==
          "its join x*(y + 1) is not what sum begins with where y is not listed");
}

TEST_CASE("what is looked up where others list something is not made dense", "[graph][sparse]") {
    auto const lowered = [](std::string const& node) { return graph::lower_graph(graph_of(node, R"("Z")"), keep); };
    EinGraph const looked_up =
        lowered(R"g({"name": "Z", "einsum": "ij,jk,ij->ik", "inputs": ["A", "B", "A"], "join": "x*y*exp(z)"})g");
    CHECK(graph::made_dense(looked_up).empty());
    CHECK(named(looked_up, "Z").listing);
    EinGraph const at_all =
        lowered(R"g({"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"], "join": "x*exp(y)"})g");
    REQUIRE(graph::made_dense(at_all).size() == 1);
    CHECK(graph::why_made_dense(at_all, graph::made_dense(at_all)[0]) ==
          "for node 'Z': where to look y up along 'k' is not what x lists");
}

TEST_CASE("results are dense unless they are kept sparse", "[graph][sparse]") {
    std::string const nodes = R"g({"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
                                 {"name": "Z", "einsum": "ik->ki", "inputs": ["C"], "join": "exp(x)"})g";
    EinGraph const dense = graph::lower_graph(graph_of(nodes, R"("Z")"));
    CHECK_FALSE(named(dense, "C").listing);
    EinGraph const sparse = graph::lower_graph(graph_of(nodes, R"("C", "Z")"), keep);
    CHECK(named(sparse, "C").listing);
    CHECK(named(sparse, "Z").listing);  // fill 1: of exp(0)
    CHECK(named(sparse, "Z").listing->fill.number == 1.0);
    CHECK(graph::made_dense(sparse).empty());
    CHECK_NOTHROW(graph::verify(sparse, "test"));
}

TEST_CASE("what a sparse result is aggregated over is not cut", "[graph][sparse]") {
    EinGraph const graph =
        graph::lower_graph(graph_of(R"({"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"]})", R"("C")"), keep);
    CHECK(graph.nodes[0].fixed == Parts{0, 1, 0});
}

TEST_CASE("what loops carry is dense, and dense copies are made where their values are", "[graph][sparse]") {
    EinGraph const graph =
        graph::lower_graph(graph_of(R"({"name": "W", "loop": {"times": 3, "carry": {"X": "n"}, "body": [
            {"name": "M", "einsum": "ij,ij->ij", "inputs": ["A", "X"]},
            {"name": "n", "einsum": "ij,j->ij", "inputs": ["M", "y"], "join": "x+y"}]}})",
                                    R"("W/X")"),
                           keep);
    CHECK(named(graph, "W/M").listing);
    CHECK_FALSE(named(graph, "W/X").listing);
    auto const made = graph::made_dense(graph);
    REQUIRE(made.size() == 1);
    for (graph::Node const& node : graph.nodes)
        if (node.output == made[0].dense) CHECK(node.loop == 0);
    CHECK_NOTHROW(graph::verify(graph, "test"));
}

TEST_CASE("a node that asks for a sparse result is told why it cannot have one", "[graph][sparse]") {
    CHECK(message(R"({"name": "Z", "einsum": "ij,j->ij", "inputs": ["A", "y"], "sparse": true})").empty());
    CHECK(
        message(R"({"name": "Z", "einsum": "ij,j->ij", "inputs": ["A", "y"], "join": "x+y", "sparse": true})") ==
        "t.json: /nodes/0/sparse: expected a result that can be kept sparse, found node 'Z': its join x + y is not one "
        "value where x is not listed; remove \"sparse\" from the node");
    CHECK(message(R"({"name": "Z", "einsum": "ij->ji", "inputs": ["X"], "sparse": true})") ==
          "t.json: /nodes/0/sparse: expected a result that can be kept sparse, found node 'Z': no operand is "
          "sparse; remove \"sparse\" from the node");
    CHECK(
        message(R"({"name": "Z", "op": "slice", "inputs": ["X"], "start": [0, 0], "stop": [2, 2], "sparse": true})") ==
        "t.json: /nodes/0/sparse: expected a result that can be kept sparse, found node 'Z': 'X' is dense; remove "
        "\"sparse\" from the node");
}

TEST_CASE("a node that asks for a dense result has one, and its readers need no copy", "[graph][sparse]") {
    std::string const node = R"({"name": "Z", "einsum": "ij,j->ij", "inputs": ["A", "y"])";
    EinGraph const free = graph::lower_graph(graph_of(node + "}", R"("Z")"), keep);
    CHECK(named(free, "Z").listing);
    EinGraph const dense = graph::lower_graph(graph_of(node + R"(, "sparse": false})", R"("Z")"), keep);
    CHECK_FALSE(named(dense, "Z").listing);
    CHECK(graph::made_dense(dense).empty());
}

TEST_CASE("what moves elements is sparse where all of it has one fill", "[graph][sparse]") {
    auto const lowered = [](std::string const& node) {
        return graph::lower_graph(graph_of(node, R"("Z")"), keep, "t.json");
    };
    for (std::string const node : {R"({"name": "Z", "op": "slice", "inputs": ["A"], "slices": "1:, ::-1"})",
                                   R"({"name": "Z", "op": "concat", "inputs": ["A", "A"], "axis": 1})",
                                   R"({"name": "Z", "op": "pad", "inputs": ["A"], "pad_width": 2})",
                                   R"({"name": "Z", "op": "pad", "inputs": ["A"], "pad_width": 1, "mode": "wrap"})",
                                   R"({"name": "Z", "op": "reshape", "inputs": ["A"], "shape": [2, 6]})"}) {
        INFO(node);
        EinGraph const graph = lowered(node);
        CHECK(named(graph, "Z").listing);
        CHECK(graph::made_dense(graph).empty());
    }
    auto const why = [&](std::string const& node) {
        EinGraph const graph = lowered(node);
        CHECK_FALSE(named(graph, "Z").listing);
        REQUIRE(graph::made_dense(graph).size() == 1);
        Node const& reader = graph.node(graph::made_dense(graph)[0].readers.at(0));
        return graph::why_dense(graph, reader, 0);
    };
    CHECK(why(R"({"name": "Z", "op": "pad", "inputs": ["A"], "pad_width": 1, "constant_values": 1})") ==
          "it pads with 1, and the fill of 'A' is 0");
    CHECK(why(R"({"name": "Z", "op": "concat", "inputs": ["A", "X"], "axis": 0})") == "'X' is dense");
    CHECK(why(R"({"name": "Z", "op": "slice", "inputs": ["A"], "slices": "1:", "sparse": false})") ==
          "it asks for a dense result");
    CHECK(message(R"g({"name": "E", "einsum": "ij->ij", "inputs": ["A"], "join": "exp(x)"},
                      {"name": "Z", "op": "concat", "inputs": ["A", "E"], "axis": 0, "sparse": true})g") ==
          "t.json: /nodes/1/sparse: expected a result that can be kept sparse, found node 'Z': the fill of 'A' is 0, "
          "that of 'E' is 1; remove \"sparse\" from the node");
}

TEST_CASE("wishes to be sparse are nothing to who keeps all results dense", "[graph][sparse]") {
    std::string const nodes = R"({"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"], "sparse": true},
                                 {"name": "Z", "einsum": "ik,ik->ik", "inputs": ["C", "C"], "sparse": true})";
    CHECK_FALSE(named(graph::lower_graph(graph_of(nodes, R"("Z")")), "Z").listing);
    CHECK(named(graph::lower_graph(graph_of(nodes, R"("Z")"), keep), "Z").listing);
}

TEST_CASE("what a loop carries is sparse where it begins and ends so, with one fill", "[graph][sparse]") {
    auto const loop = [](std::string const& begins, std::string const& body) {
        return graph::lower_graph(graph_of(R"g({"name": "W", "loop": {"times": 3, "carry": {")g" + begins +
                                               R"g(": "n"}, "body": [)g" + body + "]}}",
                                           R"(")" + std::string("W/") + begins + R"(")"),
                                  keep, "t.json");
    };
    auto const why = [](EinGraph const& graph) {
        REQUIRE(graph::made_dense(graph).size() == 1);
        Node const& reader = graph.node(graph::made_dense(graph)[0].readers.at(0));
        return graph::why_dense(graph, reader, 0);
    };
    std::string const scaled = R"g({"name": "n", "einsum": "ij,j->ij", "inputs": ["A", "y"]})g";
    EinGraph const sparse = loop("A", scaled);
    CHECK(named(sparse, "W/A").listing);
    CHECK(named(sparse, "W:A").listing);
    CHECK(graph::made_dense(sparse).empty());
    CHECK(graph::carried_elsewhere(sparse).empty());
    CHECK_NOTHROW(graph::verify(sparse, "test"));
    CHECK(why(loop("X", R"g({"name": "n", "einsum": "ij,ij->ij", "inputs": ["A", "X"]})g")) ==
          "loop 'W' carries it, and begins with 'X', which is dense");
    EinGraph const other = loop("A", R"g({"name": "n", "einsum": "ij->ij", "inputs": ["A"], "join": "x + 1"})g");
    CHECK_FALSE(named(other, "W/A").listing);
    CHECK(why(other) == "loop 'W' carries it, and ends iterations with 'W/n', which is dense");
    EinGraph const moved = loop("A", R"g({"name": "n", "op": "slice", "inputs": ["A"], "slices": "::-1"})g");
    CHECK(named(moved, "W/A").listing);
    CHECK(graph::carried_elsewhere(moved).size() == 1);
}
