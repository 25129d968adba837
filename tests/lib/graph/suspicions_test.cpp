// What is sound and hardly meant: which graphs are noted, and which are not.
#include "lib/graph/read/suspicions.hpp"

#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

namespace {

/// Tensors A (4, 3), B (3, 5), b (5,), v (4,), s (); all of the outputs are read.
std::vector<std::string> notes(std::string const& nodes, std::string const& outputs) {
    return read_graph(R"({"eingraph": 1, "tensors": {"A": {"shape": [4, 3]}, "B": {"shape": [3, 5]},
        "b": {"shape": [5]}, "v": {"shape": [4]}, "s": {"shape": []}}, "nodes": [)" +
                          nodes + R"(], "outputs": ["A", "B", "b", "v", "s", )" + outputs + "]}",
                      "g.json", {})
        .notes;
}
std::vector<std::string> notes_of_node(std::string const& keys) {
    return notes("{\"name\": \"C\", " + keys + "}", "\"C\"");
}

}  // namespace

TEST_CASE("a term that a sum adds again and again is noted", "[lib][graph][suspicions]") {
    std::vector<std::string> const found =
        notes_of_node(R"("einsum": "ij,jk,k->ik", "inputs": ["A", "B", "b"], "join": "x*y + z")");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("node 'C': 'b' is added 3 times, once for each 'j'"));
    CHECK_THAT(found[0], Catch::Contains("add it in a node of its own"));
    CHECK(notes_of_node(R"("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x - y")").size() == 1);
    for (std::string const keys : {
             R"x("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x + y/size(j)")x",  // who divides knows
             R"("einsum": "ij,i->ij", "inputs": ["A", "v"], "join": "x + y")",           // nothing is summed
             R"("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x + y", "agg": "max")",
             R"("einsum": "ij,i->i", "inputs": ["A", "v"], "join": "x + y", "agg": "mean")",
             R"("einsum": "ij,i->", "inputs": ["A", "v"], "join": "(x - y)^2")",      // a deviation
             R"("einsum": "ij,ij->i", "inputs": ["A", "A"], "join": "x + x*y + 1")",  // the same operand again
             R"("einsum": "i->", "inputs": ["v"], "join": "x + x")",
             R"("einsum": "ij->i", "inputs": ["A"], "join": "x + [i]*0.5")",
         }) {
        CAPTURE(keys);
        CHECK(notes_of_node(keys).empty());
    }
}

TEST_CASE("operands that share no label, and are summed each by itself, are noted", "[lib][graph][suspicions]") {
    std::vector<std::string> const found = notes_of_node(R"("einsum": "ij,kl->il", "inputs": ["A", "B"])");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("'j' of 'A' and 'k' of 'B' are summed each by itself"));
    CHECK(notes_of_node(R"("einsum": "ij,jk->ik", "inputs": ["A", "B"])").empty());
    CHECK(notes_of_node(R"("einsum": "i,k->ik", "inputs": ["v", "b"])").empty());
    CHECK(notes_of_node(R"("einsum": "ij,->i", "inputs": ["A", "s"])").empty());
}

TEST_CASE("an aggregation over nothing is noted", "[lib][graph][suspicions]") {
    std::vector<std::string> const found = notes_of_node(R"("einsum": "ij->ij", "inputs": ["A"], "agg": "max")");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("agg \"max\" has nothing to aggregate"));
    CHECK(notes_of_node(R"("einsum": "->", "inputs": ["s"], "join": "x > 2", "agg": "any")").empty());
    CHECK(notes_of_node(R"("einsum": "ij->ij", "inputs": ["A"], "agg": "np.amax")").size() == 1);
    for (std::string const agg : {"mean", "average", "var", "std", "norm", "count", "logsumexp", "max", "argmax"}) {
        CAPTURE(agg);  // which become several nodes, the last of which aggregate nothing
        CHECK(notes_of_node(R"("einsum": "ij->i", "inputs": ["A"], "agg": ")" + agg + "\"").empty());
        CHECK(notes_of_node(R"("einsum": "ij,i->i", "inputs": ["A", "v"], "agg": ")" + agg + "\"").empty());
    }
    CHECK(notes_of_node(R"("einsum": "ij->ij", "inputs": ["A"], "agg": "mean")").size() == 1);
}

TEST_CASE("nodes and tensors that no output needs are noted by name", "[lib][graph][suspicions]") {
    std::string const many = R"({"name": "C", "op": "relu", "inputs": "A"}, {"name": "d1", "op": "relu", "inputs": "A"},
        {"name": "d2", "op": "relu", "inputs": "d1"}, {"name": "d3", "op": "relu", "inputs": "A"},
        {"name": "d4", "op": "relu", "inputs": "A"}, {"name": "d5", "op": "relu", "inputs": "A"},
        {"name": "d6", "op": "relu", "inputs": "A"})";
    std::vector<std::string> const found = notes(many, "\"C\"");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("no output needs the nodes 'd1', 'd2', 'd3', 'd4', 'd5' and 1 more"));
    std::string const text =
        R"({"eingraph": 1, "tensors": {"A": {"shape": [4]}, "U": {"shape": [4]}}, "outputs": ["A"]})";
    CHECK_THAT(read_graph(text, "g.json", {}).notes.at(0),
               Catch::Contains("no output needs the tensor 'U'; remove it"));
}

TEST_CASE("what loops and gradients need is needed, what nothing carried needs is not", "[lib][graph][suspicions]") {
    std::string const loop = R"({"name": "fit", "loop": {"times": 2, "carry": {"v": "next"}, "body": [
        {"name": "loss", "einsum": "i->", "inputs": ["v"], "join": "x^2"},
        {"name": "seen", "op": "relu", "inputs": "v"},
        {"name": "g", "grad": {"of": "loss", "wrt": ["v"]}},
        {"name": "next", "einsum": "i,i->i", "inputs": ["v", "g/v"], "join": "x - y"}]}})";
    std::vector<std::string> const found = notes(loop, "\"fit/v\"");
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("the node 'fit/seen', which is checked but not computed"));
}
