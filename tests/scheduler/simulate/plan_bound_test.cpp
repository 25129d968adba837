#include "scheduler/simulate/plan_bound.hpp"

#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

graph::EinGraph chain(Extent n) {
    test::GraphBuilder g;
    for (std::string const name : {"A", "B", "C"}) g.leaf(name, {n, n});
    g.einsum("P", "ij,jk->ik", {"A", "B"});
    g.einsum("R", "ij->ij", {"P"}, {.join = "max(x, 0)"});
    g.einsum("Q", "ij,jk->ik", {"R", "C"});
    return g.finish({"Q"});
}

}  // namespace

TEST_CASE("a product is bounded by its share of the flops", "[scheduler][simulate]") {
    graph::EinGraph const graph = test::matmul(1000, 1000, 1000);
    scheduler::Cluster const cluster;
    scheduler::PlanBound const bound(graph, cluster);
    double const alone = 2e9 / cluster.flops(graph.value(ValueId{0}).dtype);
    CHECK(bound.of(planner::plan(graph, {.ranks = 1})) == Approx(alone + cluster.per_task));
    CHECK(bound.of(planner::plan(graph, {.ranks = 8})) == Approx(alone / 8 + cluster.per_task));
    CHECK(bound.of(planner::plan(graph, {.ranks = 8, .calls = 2})) == Approx(alone / 2 + cluster.per_task));
    CHECK(bound.of_any(8, 8) == Approx(alone / 8 + cluster.per_task));
}

TEST_CASE("no schedule is simulated to be faster than the bound of its plan", "[scheduler][simulate]") {
    Extent const n = GENERATE(8, 300, 1200);
    int const ranks = GENERATE(1, 2, 7, 8);
    std::string const strategy = GENERATE("eindecomp", "sqrt", "data", "3d");
    CAPTURE(n, ranks, strategy);
    graph::EinGraph const graph = chain(n);
    scheduler::Cluster const cluster;
    relation::Plan const plan = planner::plan(graph, {.ranks = ranks, .decompose = strategy});
    double const bound = scheduler::PlanBound(graph, cluster).of(plan);
    auto const made = scheduler::schedule_plan(graph, plan, {.place = "greedy", .simulate = true});
    CHECK(bound > 0);
    CHECK(made.makespan >= bound * (1 - 1e-9));
}
