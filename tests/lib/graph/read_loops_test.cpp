// Loops as graphs are read: their names, what they carry, and each fault of one.
#include <map>

#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;
using namespace ein::graph::test;

TEST_CASE("loops may be nested 100 deep", "[lib][graph][loops]") {
    auto const nested = [](int deep) {
        std::string node = R"({"name": "B", "einsum": "ij->ij", "inputs": ["A"], "join": "x*2"})", next = "B";
        for (int at = 0; at < deep; ++at) {
            std::string const name = "L" + std::to_string(at);
            node = R"({"name": ")" + name + R"(", "loop": {"times": 1, "carry": {"A": ")" + next + R"("}, "body": [)" +
                   node + "]}}";
            next = name + "/A";
        }
        return faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": [2, 3]}}, "nodes": [)" + node +
                         R"(], "outputs": [")" + next + R"("]})");
    };
    CHECK(nested(100).empty());
    auto const faults = nested(20000);
    REQUIRE(!faults.empty());
    CHECK(faults[0].expected == "loops nested at most 100 deep");
}

TEST_CASE("what a loop itself would define is not what it should carry", "[lib][graph][loops]") {
    auto const faults = faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": [2]}}, "nodes": [{"name": "L", "loop":
        {"times": 2, "carry": {"nope": "B"}, "body": [{"name": "B", "einsum": "i->i", "inputs": ["A"]}]}}],
        "outputs": ["A"]})");
    REQUIRE(!faults.empty());
    CHECK(faults[0].found == "'nope'");
    CHECK(faults[0].fix.find("L/nope") == std::string::npos);
}

TEST_CASE("each fault of a loop", "[lib][graph][loops]") {
    struct Row {
        char const* loop;
        char const* where;
        char const* expected;
        char const* found;
    };
    auto const row = GENERATE(values<Row>({
        {R"([])", "/nodes/0/loop", "an object", "[]"},
        {R"({"times": 2, "body": []})", "/nodes/0/loop", "the key \"carry\"", "none"},
        {R"({"times": 2, "carry": {"A": "B"}})", "/nodes/0/loop", "the key \"body\"", "none"},
        {R"({"times": 2, "carry": {}, "body": []})", "/nodes/0/loop/carry", "one carried tensor or more", "none"},
        {R"({"carry": {"A": "B"}, "body": [BODY]})", "/nodes/0/loop", "one of \"times\" and \"while\"", "none of them"},
        {R"({"times": 2, "while": "c", "max": 3, "carry": {"A": "B"}, "body": [BODY]})", "/nodes/0/loop",
         "one of \"times\" and \"while\"", "both of them"},
        {R"({"times": 0, "carry": {"A": "B"}, "body": [BODY]})", "/nodes/0/loop/times", "1 to 1000000000 iterations",
         "0"},
        {R"({"times": 2, "max": 3, "carry": {"A": "B"}, "body": [BODY]})", "/nodes/0/loop/max",
         "no \"max\" beside \"times\"", "it"},
        {R"({"while": "c", "carry": {"A": "B"}, "body": [BODY]})", "/nodes/0/loop", "the key \"max\"", "none"},
        {R"({"while": "B", "max": 3, "carry": {"A": "B"}, "body": [BODY]})", "/nodes/0/loop/while",
         "a scalar (shape ())", "'B' of shape (2, 3)"},
        {R"({"while": "d", "max": 3, "carry": {"A": "B"}, "body": [BODY]})", "/nodes/0/loop/while",
         "the name of a tensor or node", "'d'"},
        {R"({"times": 2, "carry": {"A": "C"}, "body": [BODY]})", "/nodes/0/loop/carry/A",
         "the name of a tensor or node", "'C'"},
        {R"({"times": 2, "carry": {"Q": "B"}, "body": [BODY]})", "/nodes/0/loop/carry/Q",
         "a carried tensor that begins as one outside the loop", "'Q'"},
        {R"({"times": 2, "carry": {"A": "c"}, "body": [BODY]})", "/nodes/0/loop/carry/A",
         "a tensor like 'A', of f32 and shape (2, 3)", "f32 and shape ()"},
        {R"({"times": 2, "carry": {"A": "B"}, "body": [BODY, {"name": "A", "einsum": "ij->ij", "inputs": ["A"]}]})",
         "/nodes/0/loop/body/2/name", "a name that no other tensor or node has", "'A' again"},
        {R"({"times": 2, "carry": {"A": "B"}, "body": [BODY, {"name": "D", "einsum": "i->i", "inputs": ["A"]}]})",
         "/nodes/0/loop/body/2/einsum", "", ""},
    }));
    std::string loop = row.loop;
    if (auto const at = loop.find("BODY"); at != std::string::npos)
        loop.replace(at, 4, R"({"name": "B", "einsum": "ij->ij", "inputs": ["A"], "join": "x*2"},
                               {"name": "c", "einsum": "ij->", "inputs": ["B"]})");
    CAPTURE(loop);
    auto const faults =
        faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": [2, 3]}}, "nodes": [{"name": "g", "loop": )" + loop +
                  R"(}], "outputs": ["A"]})");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == row.where);
    if (*row.expected != 0) CHECK(faults[0].expected == row.expected);
    if (*row.found != 0) CHECK(faults[0].found == row.found);
    CHECK(!faults[0].fix.empty());
}

TEST_CASE("a loop's names are its own", "[lib][graph][loops]") {
    auto const graph = read_graph(R"({"eingraph": 1, "tensors": {"A": {"shape": [2]}, "t": {"shape": [2]}}, "nodes": [
        {"name": "h", "einsum": "i->i", "inputs": ["A"], "join": "x+1"},
        {"name": "g", "loop": {"times": 2, "carry": {"A": "next"}, "body": [
            {"name": "h", "einsum": "i,i->i", "inputs": ["A", "t"], "join": "x*y"},
            {"name": "next", "einsum": "i->i", "inputs": ["h"], "join": "x*3"}]}},
        {"name": "Z", "einsum": "i,i->i", "inputs": ["h", "g/A"]}],
        "parts": {"g/h": {"i": 2}}, "outputs": ["Z"]})",
                                  "g.json");
    REQUIRE(graph.loops.size() == 1);
    CHECK(graph.iterations(0) == 2);
    std::map<std::string, Node const*> nodes;
    for (Node const& node : graph.nodes) nodes[graph.value(node.output).name] = &node;
    CHECK(nodes.at("g/h")->fixed == Parts{2});
    CHECK(nodes.at("g/h")->loop == 0);
    CHECK(nodes.at("h")->loop == -1);
    CHECK(nodes.at("Z")->loop == -1);
    CHECK(graph.loops_of_values()[static_cast<std::size_t>(nodes.at("g/A")->output.value())] == -1);
}

TEST_CASE("what does not change in a loop is computed before it", "[lib][graph][loops]") {
    auto const graph =
        read_graph(R"({"eingraph": 1, "tensors": {"A": {"shape": [2, 2]}, "x": {"shape": [2]}}, "nodes": [
        {"name": "g", "loop": {"times": 2, "carry": {"x": "next"}, "body": [
            {"name": "next", "einsum": "ij,j->i", "inputs": ["B", "x"]},
            {"name": "B", "einsum": "ij,jk->ik", "inputs": ["A", "A"]}]}}],
        "outputs": ["g/x"]})",
                   "g.json");
    for (Node const& node : graph.nodes)
        CHECK((graph.value(node.output).name == "g/B") == (node.loop < 0 && node.inputs.size() == 2));
}
