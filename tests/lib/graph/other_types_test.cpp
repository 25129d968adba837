// A graph in which any value has another type is refused as bad input: no reader takes a type for granted. And graphs
// beyond a limit are refused with the setting that moves it.
#include <algorithm>
#include <filesystem>

#include "tests/lib/graph/describe.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/limits_set.hpp"
#include "tests/support/other_types.hpp"

using namespace ein;
using namespace ein::graph;
using ein::graph::test::faults_of;
using ein::test::LimitsSet;

TEST_CASE("a value of another type anywhere in an example is bad input, never an internal error", "[lib][graph]") {
    for (auto const& entry : std::filesystem::directory_iterator(EIN_EXAMPLES)) {
        if (entry.path().extension() != ".json" || entry.file_size() > 2800) continue;
        CAPTURE(entry.path());
        Json const graph = parse_json(read_text_file(entry.path()), entry.path());
        CHECK(ein::test::badly_refused(graph, [](Json const& odd) { read_graph(odd.dump(), "odd.json"); }) ==
              std::vector<std::string>{});
    }
}

TEST_CASE("a loop whose name is a number is a fault at its name", "[lib][graph][loops]") {
    auto const faults = faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": []}}, "nodes": [{"name": 7, "loop":
        {"while": "B", "max": 3, "carry": {"A": "B"}, "body": [{"name": "B", "einsum": "->", "inputs": ["A"]}]}}],
        "outputs": ["A"]})");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].where == "/nodes/0/name");
    CHECK(faults[0].found == "7");
}

namespace {

std::string with_nodes(std::string const& nodes) {
    return R"({"eingraph": 1, "tensors": {"A": {"shape": [2, 2]}}, "nodes": [)" + nodes + R"(], "outputs": ["A"]})";
}
std::string node(std::string const& name, std::string const& more) {
    return R"({"name": ")" + name + R"(", "inputs": ["A"], )" + more + "}";
}

}  // namespace

TEST_CASE("nodes, with those that they become, have a limit", "[lib][graph][limits]") {
    LimitsSet const set("nodes=3");
    std::string const copy = R"("einsum": "ij->ij")";
    CHECK(faults_of(with_nodes(node("B", copy) + "," + node("C", copy))).empty());
    auto const listed =
        faults_of(with_nodes(node("B", copy) + "," + node("C", copy) + "," + node("D", copy) + "," + node("E", copy)));
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].text() ==
          "g.json: /nodes: expected at most 3 nodes, found 4; split the graph, or allow more with "
          "EINLOOM_LIMITS=nodes=4");
    auto const lowered = faults_of(with_nodes(node("B", R"("op": "softmax", "axes": [1])") + "," + node("C", copy)));
    REQUIRE(lowered.size() == 1);
    CHECK(lowered[0].where == "/nodes/0");
    CHECK(lowered[0].expected == "at most 3 tensors and nodes, with those that nodes become");
    auto const tensors =
        faults_of(R"({"eingraph": 1, "tensors": {"A": {"shape": []}, "B": {"shape": []}, "C": {"shape": []},
        "D": {"shape": []}}, "outputs": ["A"]})");
    REQUIRE(tensors.size() == 1);
    CHECK(tensors[0].where == "/tensors");
}

TEST_CASE("labels and expressions have a limit", "[lib][graph][limits]") {
    LimitsSet const set("labels=2,expression=8");
    CHECK(faults_of(with_nodes(node("B", R"("einsum": "ij->ij", "join": "x*2 + 1")"))).empty());
    auto const labels = faults_of(with_nodes(node("B", R"("einsum": "ij->ijk", "sizes": {"k": 2})")));
    REQUIRE(labels.size() == 1);
    CHECK(labels[0].text() ==
          "g.json: /nodes/0/einsum: expected at most 2 labels, found 3; split the node, or allow more with "
          "EINLOOM_LIMITS=labels=4");
    auto const join = faults_of(with_nodes(node("B", R"("einsum": "ij->ij", "join": "x*2 + 1.5")")));
    REQUIRE(join.size() == 1);
    CHECK(join[0].text() ==
          "g.json: /nodes/0/join: expected an expression of at most 8 B, found 9 B; split it into several nodes, or "
          "allow more with EINLOOM_LIMITS=expression=16");
}
