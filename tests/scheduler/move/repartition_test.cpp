// From one cut to another: what is cut out, sent and put in its place, in which pieces, and what nodes that change
// nothing cost.
#include <algorithm>
#include <map>

#include "lib/schedule/verify/verify.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using schedule::kind_of;
using schedule::Section;
using schedule::Task;
using schedule::TaskKind;

namespace {

constexpr std::int64_t rows = 240, columns = 120, element = 8;
constexpr scheduler::Messages small = {.bytes = 1024, .most = 1000, .window = 4096};

/// Y = 2 X in rows, Z = Y in columns, and back in rows; each is read by what follows, W by its store.
schedule::Schedule there_and_back(int ranks, scheduler::Messages const& messages) {
    test::GraphBuilder g;
    g.leaf("X", {rows, columns});
    g.einsum("Y", "ij->ij", {"X"}, {.join = "2*x"});
    g.einsum("Z", "ij->ij", {"Y"});
    g.einsum("W", "ij->ij", {"Z"});
    auto const graph = g.finish({"W"});
    auto plan = planner::plan(graph, {.ranks = ranks});
    plan.nodes[0] = {.parts = {ranks, 1}};
    plan.nodes[1] = {.parts = {1, ranks}};
    plan.nodes[2] = {.parts = {ranks, 1}};
    return scheduler::make_schedule(graph, plan, {.place = "pattern", .messages = messages});
}

std::map<TaskKind, std::int64_t> counts(Section const& section) {
    std::map<TaskKind, std::int64_t> out;
    for (Task const& task : section.tasks) ++out[task.kind()];
    return out;
}

/// Bytes that a copy moves.
std::int64_t bytes_of(Section const& section, Task const& task) { return section.region_of(task).elements() * element; }

}  // namespace

TEST_CASE("a tensor that changes its cut moves each element once, in pieces of the size asked for",
          "[scheduler][repartition]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    auto const schedule = there_and_back(ranks, small);
    CHECK(schedule::faults_of(schedule).empty());
    std::int64_t sent = 0;
    for (Section const& section : schedule.sections)
        for (Task const& task : section.tasks) {
            if (!task.is<schedule::Send>()) continue;
            std::int64_t const bytes = section.bytes_of(section.message(task));
            CHECK(bytes < 2 * small.bytes);
            sent += bytes;
        }
    CHECK(sent == 2 * rows * columns * element * (ranks - 1) / ranks);
}

TEST_CASE("what lies in one run is neither cut out nor put in its place", "[scheduler][repartition]") {
    int const ranks = GENERATE(2, 3, 5);
    auto const schedule = there_and_back(ranks, small);
    for (Section const& section : schedule.sections) {
        // Of a rank's share of Y and of Z, what others get is copied once: to be sent, or when it has come. The rest is
        // copied once, too.
        std::int64_t copied = 0, received_in_place = 0;
        for (Task const& task : section.tasks) {
            if (task.is<schedule::Copy>()) copied += bytes_of(section, task);
            if (!task.is<schedule::Receive>()) continue;
            schedule::Message const message = section.message(task);
            if (message.part) received_in_place += section.bytes_of(message);
        }
        std::int64_t const share = rows * columns * element / ranks;
        CHECK(copied == 2 * share);
        CHECK(received_in_place == share / ranks * (ranks - 1));
        CHECK(counts(section)[kind_of<schedule::Apply>] == 1);  // Y's alone
    }
}

TEST_CASE("pieces on their way take little memory", "[scheduler][repartition]") {
    int const ranks = GENERATE(2, 3, 5);
    std::int64_t const share = rows * columns * element / ranks;
    std::int64_t const on_the_way = 2 * small.window + 6 * small.bytes;
    for (std::int64_t peak : there_and_back(ranks, small).header.prediction.peak_bytes)
        CHECK(peak <= 2 * share + on_the_way);
    // Small pieces are one message each.
    auto const whole = there_and_back(ranks, {}).header.prediction;
    CHECK(whole.messages_sent == std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 2 * (ranks - 1)));
    CHECK(whole.bytes_sent == there_and_back(ranks, small).header.prediction.bytes_sent);
}

TEST_CASE("a region comes in no more messages than allowed", "[scheduler][repartition]") {
    auto const schedule = there_and_back(2, {.bytes = 1, .most = 4, .window = 1024});
    CHECK(schedule::faults_of(schedule).empty());
    // A rank's region is cut in 4, half of it comes from the other.
    CHECK(schedule.header.prediction.messages_sent == std::vector<std::int64_t>{2 * 2, 2 * 2});
}

TEST_CASE("a node that changes nothing costs nothing where its cut agrees", "[scheduler][repartition]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    test::GraphBuilder g;
    g.leaf("X", {30, 30});
    g.einsum("L", "ij->ij", {"X"});
    g.einsum("Y", "ij->ij", {"L"}, {.join = "x+1"});
    g.einsum("Z", "ij->ij", {"Y"});
    g.einsum("T", "ij->ji", {"Y"});
    auto const graph = g.finish({"X", "L", "Y", "Z", "T"});
    auto plan = planner::plan(graph, {.ranks = ranks});
    for (std::size_t node = 0; node < 3; ++node) plan.nodes[node] = {.parts = {ranks, 1}};
    plan.nodes[3] = {.parts = {ranks, 1}};
    auto const schedule = scheduler::make_schedule(graph, plan, {.place = "pattern"});
    CHECK(schedule::faults_of(schedule).empty());
    for (Section const& section : schedule.sections) {
        auto tasks = counts(section);
        CHECK(tasks == std::map<TaskKind, std::int64_t>{
                           {kind_of<schedule::Load>, 1}, {kind_of<schedule::Apply>, 2}, {kind_of<schedule::Store>, 5}});
        CHECK_FALSE(section.idle());
        CHECK(section.blocks.size() == 3);  // X, Y and T, which transposes its operand and so has a kernel
    }
}

TEST_CASE("a node that changes nothing may take a part of a block", "[scheduler][repartition]") {
    test::GraphBuilder g;
    g.leaf("X", {8, 6});
    g.einsum("Y", "ij->ij", {"X"}, {.join = "x+1"});
    g.einsum("Z", "ij->ij", {"Y"});
    auto const graph = g.finish({"Z"});
    auto plan = planner::plan(graph, {.ranks = 1, .calls = 2});
    plan.nodes[0] = {.parts = {1, 1}};
    plan.nodes[1] = {.parts = {1, 2}};
    auto const schedule = scheduler::make_schedule(graph, plan);
    CHECK(schedule::faults_of(schedule).empty());
    CHECK(counts(schedule.sections[Rank{0}])[kind_of<schedule::Copy>] == 2);
    CHECK(counts(schedule.sections[Rank{0}])[kind_of<schedule::Apply>] == 1);
}

TEST_CASE("a node that converts has a kernel", "[scheduler][repartition]") {
    test::GraphBuilder g;
    g.leaf("X", {8});
    g.einsum("Y", "i->i", {"X"}, {.dtype = DType::f32});
    auto const graph = g.finish({"Y"});
    auto const schedule = scheduler::make_schedule(graph, planner::plan(graph, {.ranks = 1}));
    CHECK(counts(schedule.sections[Rank{0}])[kind_of<schedule::Apply>] == 1);
}
