#include "scheduler/lower/einsum/overlapped_sums.hpp"

#include "lib/schedule/verify/verify.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/simulate/simulate.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

constexpr SplitRule smallest_calls{
    .product_points = 1, .other_points = 1, .product_length = 1, .block_bytes = 1 << 20, .weighs_time = false};

schedule::Schedule scheduled_sums(graph::EinGraph const& graph, int ranks, std::vector<Parts> const& parts,
                                  SplitRule const& rule) {
    SchedulerOptions options{.place = "pattern", .subblock_bytes = 0, .split = rule};
    auto made = make_schedule(graph, test::plan_by_hand(ranks, parts), options);
    CHECK(schedule::faults_of(made).empty());
    return made;
}

}  // namespace

TEST_CASE("two ranks compute onto what came: nothing is added", "[scheduler][overlapped_sums]") {
    auto const made = scheduled_sums(test::matmul(16, 2048, 8), 2, {{1, 2, 1}}, smallest_calls);
    for (schedule::Section const& section : made.sections) {
        auto kinds = test::kinds_of(section);
        CHECK(kinds["reduce"] == 0);
        CHECK(kinds["send"] == 2);  // halves of what the other keeps
        CHECK(kinds["receive"] == 2);
    }
    CHECK(made.header.prediction.bytes_sent == std::vector<std::int64_t>{16 * 8 * 8 / 2, 16 * 8 * 8 / 2});
}

TEST_CASE("a flat product takes no longer than its computing", "[scheduler][overlapped_sums]") {
    int const ranks = GENERATE(2, 3, 4, 7);
    CAPTURE(ranks);
    test::GraphBuilder g;
    g.leaf("A", {2048, 8192}, DType::f32);
    g.leaf("B", {8192, 1024}, DType::f32);
    g.einsum("C", "ij,jk->ik", {"A", "B"}, {.dtype = DType::f32});
    auto const made = scheduled_sums(g.finish({"C"}), ranks, {{1, ranks, 1}}, {});
    Cluster const cluster;
    double const computing = 2.0 * 2048 * 8192 * 1024 / cluster.flops_f32 / ranks;
    auto const received = static_cast<double>(made.header.prediction.bytes_received.at(0));
    double const copied = received / cluster.inside.bandwidth / cluster.threads;  // by one of its threads
    CHECK(simulate(made, cluster).makespan < 1.005 * computing + copied);
    std::int64_t const operands = 4 * (2048 + 1024) * ((8192 + ranks - 1) / ranks), result = 4 * 2048 * 1024;
    for (std::int64_t peak : made.header.prediction.peak_bytes) CHECK(peak <= operands + result);
}

TEST_CASE("other aggregations of several ranks are combined on the way too", "[scheduler][overlapped_sums]") {
    test::GraphBuilder g;
    g.leaf("A", {8, 12});
    g.leaf("B", {12, 6});
    g.einsum("C", "ij,jk->ik", {"A", "B"}, {.join = "x + y", .agg = scalar::Agg::max});
    for (schedule::Section const& section : scheduled_sums(g.finish({"C"}), 3, {{1, 3, 1}}, smallest_calls).sections)
        CHECK(test::kinds_of(section)["reduce"] < 4);  // of two halves that come from two ranks
}

TEST_CASE("logarithms of sums wait until all is made", "[scheduler][overlapped_sums]") {
    test::GraphBuilder g;
    g.leaf("A", {8, 12});
    g.leaf("B", {12, 6});
    g.einsum("C", "ij,jk->ik", {"A", "B"}, {.join = "x + y", .agg = scalar::Agg::logsumexp});
    for (schedule::Section const& section : scheduled_sums(g.finish({"C"}), 2, {{1, 2, 1}}, smallest_calls).sections)
        CHECK(test::kinds_of(section)["reduce"] == 1);
}
