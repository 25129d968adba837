// Exchanges alone, on ranks whose computing is free: how near they come to what the links can carry.
#include <algorithm>

#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

constexpr double exchange_bandwidth = 1e9;
constexpr Extent exchanged_rows = 16, exchanged_columns = 2048;  // from each rank to each: 256 KiB of f64

scheduler::Cluster with_free_computing() {
    scheduler::Cluster cluster;
    cluster.ranks_per_node = 1;
    cluster.threads = 1;
    cluster.flops_f64 = cluster.flops_f32 = cluster.operations = cluster.bytes = cluster.cached = cluster.memory_rate =
        cluster.copied = 1e18;
    cluster.per_task = 0;
    cluster.between = {exchange_bandwidth, 1e-6, 0, {}};
    cluster.uplink = std::nullopt;
    return cluster;
}

/// Simulated seconds of a graph whose nodes are cut in these parts, over those that the bytes of a rank take.
double over_ideal(graph::EinGraph const& graph, std::vector<relation::NodePlan> const& nodes, int ranks) {
    relation::Plan plan = planner::plan(graph, {.ranks = ranks, .decompose = "data"});
    plan = planner::with_nodes(graph, plan, nodes);
    auto const made =
        scheduler::schedule_plan(graph, plan, {.place = "pattern", .cluster = with_free_computing(), .simulate = true});
    double const bytes = static_cast<double>((ranks - 1) * exchanged_rows * exchanged_columns) * 8;
    auto const& received = made.schedule.header.prediction.bytes_received;
    CHECK(static_cast<double>(*std::max_element(received.begin(), received.end())) == bytes);
    double const ratio = made.makespan / (bytes / exchange_bandwidth);
    CHECK(ratio >= 1 - 1e-9);  // no link is faster than it is
    return ratio;
}

}  // namespace

TEST_CASE("a reduce-scatter keeps all links busy, at prime numbers of ranks too", "[scheduler][simulate]") {
    int const ranks = GENERATE(3, 7, 8, 13, 32, 53);
    CAPTURE(ranks);
    CHECK(over_ideal(test::matmul(exchanged_rows * ranks, ranks, exchanged_columns), {{.parts = {1, ranks, 1}}},
                     ranks) < 1.25);
}

TEST_CASE("an all-gather keeps all links busy, at prime numbers of ranks too", "[scheduler][simulate]") {
    int const ranks = GENERATE(3, 7, 8, 13, 32, 53);
    CAPTURE(ranks);
    CHECK(over_ideal(test::matmul(ranks, exchanged_rows * ranks, exchanged_columns), {{.parts = {ranks, 1, 1}}},
                     ranks) < 1.25);
}

TEST_CASE("rows for columns keep all links busy, at prime numbers of ranks too", "[scheduler][simulate]") {
    int const ranks = GENERATE(3, 7, 8, 13, 32);
    CAPTURE(ranks);
    test::GraphBuilder g;
    g.leaf("X", {exchanged_rows * ranks, exchanged_columns * ranks});
    g.einsum("Y", "ij->ij", {"X"}, {.join = "x+1"});
    g.einsum("Z", "ij->ij", {"Y"}, {.join = "x*2"});
    CHECK(over_ideal(g.finish({"Z"}), {{.parts = {ranks, 1}}, {.parts = {1, ranks}}}, ranks) < 1.25);
}
