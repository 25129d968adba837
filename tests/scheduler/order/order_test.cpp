#include "scheduler/order/order.hpp"

#include <algorithm>

#include "lib/schedule/memory/replay.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

/// Outer products of vectors, each summed to a vector at once or later: all products first in the graph file.
graph::EinGraph fans(int branches) {
    test::GraphBuilder g;
    g.leaf("a", {40});
    std::vector<std::string> sums;
    for (int b = 0; b < branches; ++b) g.einsum("P" + std::to_string(b), "i,k->ik", {"a", "a"});
    for (int b = 0; b < branches; ++b) {
        sums.push_back("s" + std::to_string(b));
        g.einsum(sums.back(), "ik->i", {"P" + std::to_string(b)});
    }
    return g.finish(sums);
}

}  // namespace

TEST_CASE("as given is the order of the graph", "[scheduler][order]") {
    auto const order = scheduler::node_order(fans(3), scheduler::Order::as_given);
    CHECK(std::is_sorted(order.begin(), order.end()));
    CHECK(order.size() == 6);
}

TEST_CASE("the order of least memory finishes a branch before it begins another", "[scheduler][order]") {
    graph::EinGraph const graph = fans(4);
    auto const order = scheduler::node_order(graph, scheduler::Order::least_memory);
    std::vector<int> numbers;
    for (NodeId node : order) numbers.push_back(node.value());
    CHECK(numbers == std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7});
    relation::Plan const plan = planner::plan(graph, {.ranks = 2});
    auto peak = [&](scheduler::Order how) {
        auto const schedule = scheduler::make_schedule(graph, plan, {.place = "pattern", .order = how});
        return schedule.header.prediction.peak_bytes[0];
    };
    CHECK(peak(scheduler::Order::least_memory) * 3 < peak(scheduler::Order::as_given));
}
