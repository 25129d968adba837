#include "scheduler/kept_schedules.hpp"

#include "lib/schedule/file/codec.hpp"
#include "planner/planner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

graph::EinGraph product_and_sum() {
    test::GraphBuilder g;
    for (auto const& name : {"A", "B"}) g.leaf(name, {24, 24});
    g.einsum("AB", "ij,jk->ik", {"A", "B"});
    g.einsum("S", "ik->i", {"AB"});
    return g.finish({"S"});
}

}  // namespace

TEST_CASE("a kept schedule is found by plan, placer and order, and no other", "[scheduler]") {
    graph::EinGraph const graph = product_and_sum();
    relation::Plan const plan = planner::plan(graph, {.ranks = 4});
    relation::Plan other = plan;
    other.nodes[0].parts = {1, 1, 4};
    scheduler::KeptSchedules kept(1000);
    auto const made = std::make_shared<scheduler::Scheduled const>(scheduler::schedule_plan(graph, plan));
    kept.keep(plan, "greedy", scheduler::Order::as_given, made);
    CHECK(kept.find(plan, "greedy", scheduler::Order::as_given) == made);
    CHECK(kept.find(plan, "pattern", scheduler::Order::as_given) == nullptr);
    CHECK(kept.find(plan, "greedy", scheduler::Order::least_memory) == nullptr);
    CHECK(kept.find(other, "greedy", scheduler::Order::as_given) == nullptr);
}

TEST_CASE("no more is kept than there is room for", "[scheduler]") {
    graph::EinGraph const graph = product_and_sum();
    relation::Plan const plan = planner::plan(graph, {.ranks = 4});
    scheduler::KeptSchedules kept(1);
    kept.keep(plan, "greedy", scheduler::Order::as_given,
              std::make_shared<scheduler::Scheduled const>(scheduler::schedule_plan(graph, plan)));
    CHECK(kept.find(plan, "greedy", scheduler::Order::as_given) == nullptr);
}

TEST_CASE("a search that keeps schedules has the same ones", "[scheduler]") {
    graph::EinGraph const graph = product_and_sum();
    int const ranks = GENERATE(2, 3, 4);
    relation::Plan const plan = planner::plan(graph, {.ranks = ranks});
    scheduler::KeptSchedules kept(100'000);
    scheduler::SchedulerOptions const best{.simulate = true};
    scheduler::schedule_plan(graph, plan, {.place = "greedy", .simulate = true}, &kept);
    auto const with = scheduler::schedule_plan(graph, plan, best, &kept);
    auto const without = scheduler::schedule_plan(graph, plan, best);
    CHECK(with.schedule.header.place == without.schedule.header.place);
    for (std::size_t rank = 0; rank < with.schedule.sections.size(); ++rank)
        CHECK(schedule::encode(with.schedule.sections.list()[rank]) ==
              schedule::encode(without.schedule.sections.list()[rank]));
    CHECK(with.ranks == without.ranks);
    CHECK(with.makespan == without.makespan);
}

TEST_CASE("where there is no room for all the fastest are kept, and what others cost", "[scheduler]") {
    graph::EinGraph const graph = product_and_sum();
    scheduler::Order const order = scheduler::Order::as_given;
    auto const made = [&](int ranks, double makespan) {
        relation::Plan const plan = planner::plan(graph, {.ranks = ranks});
        auto out = scheduler::schedule_plan(graph, plan);
        out.makespan = makespan;
        return std::pair(plan, std::make_shared<scheduler::Scheduled const>(std::move(out)));
    };
    auto const [slow_plan, slow] = made(2, 3);
    auto const [fast_plan, fast] = made(3, 1);
    auto const [slower_plan, slower] = made(4, 4);
    std::size_t tasks = 0;
    for (auto const& section : fast->schedule.sections) tasks += section.tasks.size();
    scheduler::KeptSchedules kept(tasks);
    kept.keep(slow_plan, "greedy", order, slow);
    CHECK(kept.find(slow_plan, "greedy", order) == slow);
    kept.keep(fast_plan, "greedy", order, fast);
    kept.keep(slower_plan, "greedy", order, slower);
    CHECK(kept.find(fast_plan, "greedy", order) == fast);
    CHECK(kept.find(slow_plan, "greedy", order) == nullptr);
    CHECK(kept.find(slower_plan, "greedy", order) == nullptr);
    CHECK(kept.cost(slow_plan, "greedy", order).value().makespan == 3);
    CHECK(kept.cost(slower_plan, "greedy", order).value().makespan == 4);
    CHECK_FALSE(kept.cost(slower_plan, "pattern", order).has_value());
}
