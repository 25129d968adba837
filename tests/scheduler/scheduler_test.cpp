#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <numeric>

#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/tuning.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "planner/planner.hpp"
#include "scheduler/simulate/simulate.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using schedule::Apply;
using schedule::Copy;
using schedule::Load;
using schedule::Reduce;
using schedule::Store;

namespace {

graph::EinGraph matmul_chain() {
    test::GraphBuilder g;
    for (auto const& name : {"A", "B", "C"}) g.leaf(name, {24, 24});
    g.einsum("AB", "ij,jk->ik", {"A", "B"});
    g.einsum("ABC", "ij,jk->ik", {"AB", "C"});
    g.einsum("S", "ik->i", {"ABC"}, {.join = "abs(x)", .agg = scalar::Agg::max});
    return g.finish({"S", "AB"});
}

std::int64_t sum(std::vector<std::int64_t> const& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

template <class Kind>
std::size_t count(schedule::Schedule const& schedule) {
    std::size_t n = 0;
    for (schedule::Section const& section : schedule.sections)
        for (schedule::Task const& task : section.tasks) n += task.is<Kind>() ? 1 : 0;
    return n;
}

}  // namespace

TEST_CASE("schedules are sound at any rank count and placement, and always the same", "[scheduler]") {
    int const ranks = GENERATE(1, 2, 3, 4, 5, 7, 12);
    auto const place = GENERATE("best", "pattern", "ia", "greedy", "round-robin");
    auto const inputs = GENERATE(scheduler::InputsPolicy::once, scheduler::InputsPolicy::shared);
    auto const graph = matmul_chain();
    auto const plan = planner::plan(graph, {.ranks = ranks});
    auto const schedule =
        scheduler::make_schedule(graph, plan, {.place = place, .inputs = inputs, .subblock_bytes = 0});
    CHECK(schedule::faults_of(schedule).empty());
    auto const again = scheduler::make_schedule(graph, plan, {.place = place, .inputs = inputs, .subblock_bytes = 0});
    CHECK(schedule::encode(again.header) == schedule::encode(schedule.header));
    for (Rank rank : schedule.sections.ids())
        CHECK(schedule::encode(again.sections[rank]) == schedule::encode(schedule.sections[rank]));
}

TEST_CASE("best keeps the placement whose simulated run on the cluster is the fastest", "[scheduler]") {
    auto const graph = matmul_chain();
    scheduler::Cluster cluster;
    cluster.ranks_per_node = GENERATE(1, 2);
    cluster.between.bandwidth = GENERATE(1e6, 1e10);
    auto const plan = planner::plan(graph, {.ranks = 4, .calls = 8});
    auto const seconds_of = [&](std::string const& place) {
        return simulate(scheduler::make_schedule(graph, plan, {.place = place, .cluster = cluster}), cluster).makespan;
    };
    CHECK(seconds_of("best") ==
          Approx(std::min({seconds_of("pattern"), seconds_of("ia"), seconds_of("greedy"), seconds_of("round-robin")})));
}

TEST_CASE("ranks that receive have room beside their peak, within the memory that there is", "[scheduler]") {
    auto const graph = matmul_chain();
    auto const plan = planner::plan(graph, {.ranks = 4});
    auto const predicted = [&](std::optional<std::int64_t> memory) {
        scheduler::SchedulerOptions options{.place = "pattern"};
        options.memory = memory;
        auto const schedule = scheduler::make_schedule(graph, plan, options);
        CHECK(schedule::faults_of(schedule).empty());
        return schedule.header.prediction.peak_bytes;
    };
    auto const in_order = predicted(0), with_room = predicted(std::nullopt), within = predicted(in_order[0] + 1);
    for (std::size_t rank = 0; rank < in_order.size(); ++rank) {
        CHECK(with_room[rank] > in_order[rank]);
        CHECK(with_room[rank] <= in_order[rank] + in_order[rank] / schedule::tuning::room_part);
        CHECK(within[rank] <= std::max(in_order[rank], in_order[0] + 1));
    }
    CHECK(within[0] == in_order[0] + 1);
    auto const alone = scheduler::make_schedule(graph, planner::plan(graph, {.ranks = 1}));
    CHECK(alone.sections[Rank{0}].room == 0);
}

TEST_CASE("one rank moves nothing and applies each node once", "[scheduler]") {
    auto const graph = matmul_chain();
    auto const schedule = scheduler::make_schedule(graph, planner::plan(graph, {.ranks = 1}));
    CHECK(sum(schedule.header.prediction.bytes_sent) == 0);
    CHECK(count<Apply>(schedule) == 3);
    CHECK(count<Load>(schedule) == 3);
    CHECK(count<Store>(schedule) == 2);
    CHECK(count<Copy>(schedule) == 0);
}

TEST_CASE("each input element is loaded once, or by every rank that needs it", "[scheduler]") {
    graph::EinGraph const graph = test::matmul(16, 8, 4);
    relation::Plan plan = planner::plan(graph, {.ranks = 4});
    plan.nodes[0].parts = {4, 1, 1};  // rows: every rank needs all of B
    planner::price(graph, plan);
    auto loaded = [&](scheduler::InputsPolicy inputs) {
        auto const schedule = scheduler::make_schedule(graph, plan, {.place = "pattern", .inputs = inputs});
        std::int64_t elements = 0;
        for (auto const& section : schedule.sections)
            for (auto const& task : section.tasks)
                if (task.is<Load>()) elements += section.elements_of(section.blocks[*task.result()]);
        return std::pair(elements, sum(schedule.header.prediction.bytes_sent));
    };
    CHECK(loaded(scheduler::InputsPolicy::once) ==
          std::pair<std::int64_t, std::int64_t>(16 * 8 + 8 * 4, 3 * 8 * 4 * 8));
    CHECK(loaded(scheduler::InputsPolicy::shared) == std::pair<std::int64_t, std::int64_t>(16 * 8 + 4 * 8 * 4, 0));
}

TEST_CASE("partial results of one rank accumulate in one block; those of several are reduced in subblocks",
          "[scheduler]") {
    graph::EinGraph const graph = test::matmul(8, 32, 8);
    relation::Plan plan = planner::plan(graph, {.ranks = 2, .calls = 4});
    plan.nodes[0].parts = {1, 4, 1};
    planner::price(graph, plan);
    auto const schedule = scheduler::make_schedule(graph, plan, {.place = "pattern", .subblock_bytes = 0});
    CHECK(count<Apply>(schedule) == 4);
    // each rank folds its own half subblock and the other's: two reductions a rank, half of C sent each way
    CHECK(count<Reduce>(schedule) == 4);
    CHECK(schedule.header.prediction.bytes_sent == std::vector<std::int64_t>{256, 256});
    auto const whole = scheduler::make_schedule(graph, plan, {.place = "pattern", .subblock_bytes = 1 << 20});
    CHECK(sum(whole.header.prediction.bytes_sent) == 512);
    CHECK(count<Reduce>(whole) == 1);
}

TEST_CASE("exchanges in stages take fewer messages for the same bytes", "[scheduler]") {
    struct Case {
        Parts parts;                  // of i, j, k
        std::int64_t direct, staged;  // messages
    };
    // A and C alone are exchanged, in subblocks of an 8 x 2 grid: 15 messages a rank, or 1 + 3 + 1; of 12 ranks 11, or
    // 4 in stages.
    auto const [parts, direct, staged] = GENERATE(Case{{1, 16, 1}, 16 * 15, 16 * 5}, Case{{16, 1, 1}, 16 * 15, 16 * 5},
                                                  Case{{1, 1, 16}, 16 * 15, 16 * 5}, Case{{1, 12, 1}, 12 * 11, 12 * 4});
    graph::EinGraph const graph = test::matmul(64, 64, 64);
    int const ranks = static_cast<int>(element_count(parts));
    relation::Plan plan = planner::plan(graph, {.ranks = ranks});
    plan.nodes[0].parts = parts;
    planner::price(graph, plan);
    scheduler::SchedulerOptions options{.place = "pattern", .subblock_bytes = 0};
    auto const in_stages = scheduler::make_schedule(graph, plan, options);
    options.staging.ranks = 1000;
    auto const at_once = scheduler::make_schedule(graph, plan, options);
    CHECK(in_stages.header.prediction.bytes_received == at_once.header.prediction.bytes_received);
    CHECK(sum(at_once.header.prediction.messages_sent) == direct);
    CHECK(sum(in_stages.header.prediction.messages_sent) == staged);
    options.staging = {.bytes = 1};
    CHECK(sum(scheduler::make_schedule(graph, plan, options).header.prediction.messages_sent) == direct);
}

TEST_CASE("small sums of one group of ranks end on different ranks, in stages too", "[scheduler]") {
    graph::EinGraph const graph = test::matmul(4, 64, 1);
    relation::Plan plan = planner::plan(graph, {.ranks = 8, .calls = 32});
    plan.nodes[0].parts = {4, 8, 1};
    planner::price(graph, plan);
    plan.nodes[0].ranks.clear();
    for (int call = 0; call < 32; ++call) plan.nodes[0].ranks.emplace_back(call % 8);
    for (std::size_t least : {8, 1000}) {
        auto const made = scheduler::schedule_plan(graph, plan, {.staging = {.ranks = least}});
        CHECK(made.layouts[2].ranks == std::vector<Rank>{Rank{0}, Rank{1}, Rank{2}, Rank{3}});
    }
}

TEST_CASE("a narrow output is kept wide until all partial results are in", "[scheduler]") {
    test::GraphBuilder g;
    g.leaf("A", {64}, DType::f16);
    g.einsum("s", "i->", {"A"}, {.dtype = DType::f16});
    auto const graph = g.finish({"s"});
    relation::Plan plan = planner::plan(graph, {.ranks = 2});
    REQUIRE(plan.nodes[0].parts == Parts{2});
    auto const schedule = scheduler::make_schedule(graph, plan);
    CHECK(sum(schedule.header.prediction.bytes_sent) == 4);  // one f32 partial sum
    CHECK(count<Reduce>(schedule) == 2);                     // combine, then round to f16
}

TEST_CASE("a plan's own placement is kept, and given back", "[scheduler]") {
    graph::EinGraph const graph = matmul_chain();
    relation::Plan plan = planner::plan(graph, {.ranks = 3});
    plan.nodes[1].ranks.assign(static_cast<std::size_t>(element_count(plan.nodes[1].parts)), Rank{2});
    auto const made = scheduler::schedule_plan(graph, plan, {.place = "pattern"});
    CHECK(made.ranks[1] == plan.nodes[1].ranks);
    for (std::size_t node = 0; node < plan.nodes.size(); ++node) plan.nodes[node].ranks = made.ranks[node];
    auto const again = scheduler::schedule_plan(graph, plan, {.place = "round-robin"});
    CHECK(again.schedule.header.prediction.bytes_sent == made.schedule.header.prediction.bytes_sent);
}

TEST_CASE("traffic by node adds up to the bytes that ranks send", "[scheduler]") {
    int const ranks = GENERATE(1, 2, 4, 6, 7);
    graph::EinGraph const graph = matmul_chain();
    auto const made = scheduler::schedule_plan(graph, planner::plan(graph, {.ranks = ranks}), {.subblock_bytes = 0});
    std::int64_t total = 0;
    for (scheduler::Traffic const& node : made.traffic) total += node.total();
    CHECK(total == sum(made.schedule.header.prediction.bytes_sent));
    CHECK((ranks == 1) == (total == 0));
}

TEST_CASE("a node's traffic is reported by operand, and for its busiest rank", "[scheduler]") {
    int const ranks = GENERATE(1, 2, 4, 6, 7);
    graph::EinGraph const graph = matmul_chain();
    auto const made = scheduler::schedule_plan(graph, planner::plan(graph, {.ranks = ranks}), {.subblock_bytes = 0});
    std::int64_t busiest = 0;
    for (std::size_t node = 0; node < made.traffic.size(); ++node) {
        scheduler::Traffic const& traffic = made.traffic[node];
        CHECK(traffic.inputs.size() == graph.nodes[node].inputs.size());
        CHECK(sum(traffic.inputs) == traffic.join + traffic.repart);
        CHECK(traffic.busiest <= traffic.total());
        CHECK(traffic.busiest * ranks >= traffic.total());
        busiest += traffic.busiest;
    }
    std::vector<std::int64_t> const& received = made.schedule.header.prediction.bytes_received;
    CHECK(busiest >= *std::max_element(received.begin(), received.end()));
}

TEST_CASE("a block that nobody reads has no home", "[scheduler]") {
    test::GraphBuilder g;
    g.leaf("A", {8});
    graph::Move first;
    first.regions.push_back({{{0}, {4}}, {graph::AxisMap{}}});
    g.node("first", first, {"A"}, {4});
    graph::EinGraph const graph = g.finish({"first"});
    auto const made = scheduler::schedule_plan(graph, planner::plan(graph, {.ranks = 4}), {.place = "pattern"});
    REQUIRE(made.layouts[0].ranks.size() == 4);
    CHECK(made.layouts[0].ranks[0] == Rank{0});
    CHECK(made.layouts[0].ranks[2] == Rank{-1});
    CHECK(made.layouts[0].ranks[3] == Rank{-1});
}

TEST_CASE("a layout has a rank for each block; shared inputs have no home", "[scheduler]") {
    graph::EinGraph const graph = test::matmul(8, 8, 8);
    relation::Plan plan = planner::plan(graph, {.ranks = 4});
    plan.nodes[0].parts = {2, 2, 1};
    scheduler::SchedulerOptions options{.place = "pattern", .subblock_bytes = 0};
    auto const once = scheduler::schedule_plan(graph, plan, options);
    CHECK(once.layouts[2].parts == Parts{2, 1});
    CHECK(once.layouts[2].subblocks == Parts{1, 2});  // of each part two ranks have partial results
    CHECK(once.layouts[2].ranks == std::vector{Rank{0}, Rank{1}, Rank{2}, Rank{3}});
    options.inputs = scheduler::InputsPolicy::shared;
    CHECK(scheduler::schedule_plan(graph, plan, options).layouts[0].ranks.empty());
}
