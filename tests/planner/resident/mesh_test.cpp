#include "planner/resident/resident_table.hpp"
#include "planner/search/decompose.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

TEST_CASE("a mesh has the prime factors of its ranks, few of them", "[planner][resident]") {
    CHECK(Mesh(12).sizes() == std::vector<std::int64_t>{3, 2, 2});
    CHECK(Mesh(1).sizes().empty());
    CHECK(Mesh(1).all() == 0);
    CHECK(Mesh(12).size(0b101) == 6);
    Mesh const many(1024);
    CHECK(many.sizes().size() == 4);
    CHECK(many.size(many.all()) == 1024);
}

namespace {

/// What a choice of candidates costs by the table.
double total(graph::EinGraph const& graph, CandidateTable const& table, std::vector<int> const& chosen) {
    auto const producers = graph.producers();
    double sum = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        NodeId const id{static_cast<std::int32_t>(k)};
        NodeCandidates const& choices = table.of(id);
        auto const c = static_cast<std::size_t>(chosen[k]);
        sum += choices.work[c];
        for (SourceNeeds const& source : choices.sources) {
            ValueId const input = graph.node(id).inputs[source.operands.front()];
            auto const producer = producers[static_cast<std::size_t>(input.value())];
            if (!producer) continue;
            NodeCandidates const& from = table.of(*producer);
            auto const output =
                from.output_of[static_cast<std::size_t>(chosen[static_cast<std::size_t>(producer->value())])];
            sum += table.edge(id, source, static_cast<std::size_t>(source.need_of[c]),
                              from.outputs[static_cast<std::size_t>(output)]);
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("what ranks hold already costs nothing", "[planner][resident]") {
    test::GraphBuilder g;
    g.leaf("X", {64, 64});
    g.einsum("Y", "ij->ij", {"X"}, {.join = "2*x"});
    g.einsum("Z", "ij->ij", {"Y"}, {.join = "x+1"});
    graph::EinGraph const graph = g.finish({"Z"});
    ResidentTable const table(graph, Mesh(8));
    CHECK(total(graph, table, choose_by_paths(graph, table, false)) == 0);
}

TEST_CASE("a matmul on eight ranks moves three times each operand's share, as its schedule does",
          "[planner][resident]") {
    graph::EinGraph const graph = test::matmul(64, 64, 64);
    ResidentTable const table(graph, Mesh(8));
    auto const chosen = choose_by_paths(graph, table, false);
    CHECK(table.of(NodeId{0}).candidates[static_cast<std::size_t>(chosen[0])] == Parts{2, 2, 2});
    double const bytes = 64 * 64 * static_cast<double>(size_of(graph.value(ValueId{0}).dtype));
    CHECK(total(graph, table, chosen) == Approx(3 * bytes));  // A and B to one more rank each, C from one more
}

TEST_CASE("readers that look at a value in the same way share what it costs to bring", "[planner][resident]") {
    test::GraphBuilder g;
    g.leaf("X", {64, 64});
    for (std::string const w : {"P", "Q", "R"}) g.leaf(w, {64, 64});
    g.einsum("H", "sd->sd", {"X"}, {.join = "2*x"});
    for (std::string const w : {"P", "Q", "R"}) g.einsum("H" + w, "sd,de->se", {"H", w});
    graph::EinGraph const graph = g.finish({"HP", "HQ", "HR"});
    ResidentTable const table(graph, Mesh(2));
    auto const chosen = choose_by_paths(graph, table, false);
    for (int node :
         {1, 2,
          3})  // H is gathered once, weights stay: not the 64 x 64 weights copied three times, nor three reductions
        CHECK(table.of(NodeId{node}).candidates[static_cast<std::size_t>(chosen[static_cast<std::size_t>(node)])] ==
              Parts{1, 1, 2});
    double const bytes = 64 * 64 * static_cast<double>(size_of(graph.value(ValueId{0}).dtype));
    CHECK(total(graph, table, chosen) == Approx(bytes));
}
