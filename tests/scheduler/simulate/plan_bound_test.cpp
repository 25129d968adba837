#include "scheduler/simulate/plan_bound.hpp"

#include "lib/base/error.hpp"
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

TEST_CASE("a variation gains at most what holds up the nodes that it changes, their operands and readers",
          "[scheduler][simulate]") {
    graph::EinGraph const graph = chain(300);
    scheduler::PlanBound const bound(graph, {});
    relation::Plan const plan = planner::plan(graph, {.ranks = 4});
    std::vector<double> held_up(graph.values.size(), 0);
    auto const of = [&](std::string const& name) -> double& {
        for (std::size_t v = 0; v < graph.values.size(); ++v)
            if (graph.values[v].name == name) return held_up[v];
        throw InternalError("no value " + name);
    };
    of("A") = 1, of("P") = 10, of("R") = 100, of("C") = 1000, of("Q") = 10000;
    CHECK(bound.beside(plan, plan, 2e4, held_up) == 2e4);
    relation::Plan varied = plan;
    varied.nodes[0].parts = varied.nodes[0].parts == Parts{4, 1, 1} ? Parts{1, 1, 4} : Parts{4, 1, 1};
    double const first = bound.beside(varied, plan, 2e4, held_up);  // P, its operand A and its reader R
    CHECK(first == Approx(2e4 - 111).epsilon(1e-6));
    CHECK(first > 2e4 - 111);  // but for their work
    varied.nodes[2].ranks = std::vector<Rank>(4, Rank{0});
    CHECK(bound.beside(varied, plan, 2e4, held_up) == Approx(2e4 - 11111).epsilon(1e-6));
}
