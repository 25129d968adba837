#include "scheduler/value_parts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

/// Z = A B summed in four parts, then (when asked) W = 2 Z in `next` rows.
std::pair<graph::EinGraph, relation::Plan> chain(Extent rows, std::int64_t next) {
    test::GraphBuilder g;
    g.leaf("A", {rows, 12});
    g.leaf("B", {12, 6});
    g.einsum("Z", "ij,jk->ik", {"A", "B"});
    g.einsum("W", "ik->ik", {"Z"}, {.join = "2*x"});
    relation::Plan plan;
    plan.ranks = 4;
    plan.calls = 4;
    plan.nodes.resize(2);
    plan.nodes[0].parts = {1, 4, 1};
    plan.nodes[1].parts = {next, 1};
    return {g.finish({"W"}), plan};
}

}  // namespace

TEST_CASE("leaves are cut as their first reader wants, outputs as they are made", "[scheduler][value_parts]") {
    auto const [graph, plan] = chain(8, 4);
    auto const parts = scheduler::value_parts(graph, plan);
    CHECK(parts[0].made == Parts{1, 4});  // A as Z reads it
    CHECK(parts[1].made == Parts{4, 1});
    CHECK(parts[2].made == Parts{1, 1});  // Z
    CHECK(parts[2].wanted == Parts{4, 1});
    CHECK(parts[3].wanted.empty());  // W, which nobody reads
}

TEST_CASE("leading parts never cut an axis finer than its extent", "[scheduler][value_parts]") {
    CHECK(scheduler::leading_parts({3, 100}, 7) == Parts{3, 2});
    CHECK(scheduler::leading_parts({0, 5}, 4) == Parts{1, 4});
    CHECK(scheduler::leading_parts({}, 4) == Parts{});
}
