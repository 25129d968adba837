#include "scheduler/order/sends_first.hpp"

#include "lib/schedule/memory/replay.hpp"
#include "planner/planner.hpp"
#include "scheduler/emit/section_builder.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using schedule::Section;
using schedule::Task;
using schedule::TaskKind;
using scheduler::Room;

namespace {

Box row(Extent begin, Extent length) { return {{begin}, {length}}; }

/// Half of X stays here and meets what rank 1 sends; the other half goes there. Then X itself is spent, and a block of `later` elements made.
Section exchange(Extent later, Room room, bool cut_in_a_node_of_its_own = false) {
    scheduler::SectionBuilder b;
    b.begin_node();
    BlockId const x = b.add_block(0, DType::f64, row(0, 8));
    b.add({.kind = TaskKind::load, .spec = 0, .inputs = {}, .output = x, .region = {}});
    BlockId const theirs = b.add_block(1, DType::f64, row(4, 4)), z = b.add_block(1, DType::f64, row(0, 8));
    b.add({.kind = TaskKind::receive, .inputs = {}, .output = theirs, .region = {}, .peer = 1, .tag = 0});
    b.add({.kind = TaskKind::copy, .spec = 0, .inputs = {theirs}, .output = z, .region = row(4, 4)});
    b.add({.kind = TaskKind::copy, .spec = 0, .inputs = {x}, .output = z, .region = row(0, 4)});
    if (cut_in_a_node_of_its_own) b.begin_node();
    BlockId const cut = b.add_block(1, DType::f64, row(4, 4));
    b.add({.kind = TaskKind::copy, .spec = 0, .inputs = {x}, .output = cut, .region = row(4, 4)});
    b.add({.kind = TaskKind::send, .inputs = {cut}, .output = {}, .region = {}, .peer = 1, .tag = 0});
    b.begin_node();
    BlockId const last = b.add_block(2, DType::f64, row(0, later));
    b.add({.kind = TaskKind::apply, .spec = 0, .inputs = {z}, .output = last, .region = row(0, later)});
    b.add({.kind = TaskKind::store, .spec = 0, .inputs = {last}, .output = {}, .region = {}});
    return std::move(b).finish(room);
}

/// The same tasks with each cut directly before its send.
Section one_after_another(Section section) {
    std::vector<Task> cuts, tasks;
    for (Task const& task : section.tasks)
        if (task.kind == TaskKind::copy) cuts.push_back(task);
    auto cut = cuts.begin();
    for (Task const& task : section.tasks) {
        if (task.kind == TaskKind::copy) continue;
        if (task.kind == TaskKind::send) tasks.push_back(*cut++);
        tasks.push_back(task);
    }
    section.tasks = std::move(tasks);
    return section;
}

std::vector<TaskKind> kinds(Section const& section) {
    std::vector<TaskKind> out;
    for (Task const& task : section.tasks) out.push_back(task.kind);
    return out;
}

}  // namespace

TEST_CASE("what another rank waits for is cut before this rank waits for its own", "[scheduler][order]") {
    using enum TaskKind;
    Section const section = exchange(16, Room::within_peak);  // the last block decides the peak
    CHECK(kinds(section) == std::vector{load, copy, receive, copy, copy, send, apply, store});
    CHECK(section.box_of(section.blocks[static_cast<std::size_t>(section.tasks[1].output)]) == row(4, 4));
    CHECK(schedule::replay(section).peak == (8 + 16) * 8);
}

TEST_CASE("a cut stays where its block would raise the peak, if memory is short", "[scheduler][order]") {
    using enum TaskKind;
    Section section = exchange(1, Room::within_peak);  // X, theirs and Z together are the peak
    CHECK(kinds(section) == std::vector{load, receive, copy, copy, copy, send, apply, store});
    CHECK(schedule::replay(section).peak == (8 + 4 + 8) * 8);
    section = exchange(1, Room::any);
    CHECK(kinds(section) == std::vector{load, copy, receive, copy, copy, send, apply, store});
    CHECK(schedule::replay(section).peak == (8 + 4 + 4 + 8) * 8);
}

TEST_CASE("no more is cut ahead than a window holds", "[scheduler][order]") {
    scheduler::SectionBuilder b;
    b.begin_node();
    BlockId const x = b.add_block(0, DType::f64, row(0, 64));
    b.add({.kind = TaskKind::load, .spec = 0, .inputs = {}, .output = x, .region = {}});
    constexpr int pieces = 6;
    for (int k = 0; k < pieces; ++k) {
        BlockId const theirs = b.add_block(1, DType::f64, row(8 * k, 8)),
                      cut = b.add_block(0, DType::f64, row(8 * k, 8));
        b.add({.kind = TaskKind::receive, .inputs = {}, .output = theirs, .region = {}, .peer = 1, .tag = k});
        b.add({.kind = TaskKind::copy, .spec = 0, .inputs = {x}, .output = cut, .region = row(8 * k, 8)});
        b.add({.kind = TaskKind::send, .inputs = {cut}, .output = {}, .region = {}, .peer = 1, .tag = k});
    }
    Section section = std::move(b).finish(Room::any);  // all of them are small
    auto const ahead = [&] {
        std::int64_t most = 0, now = 0;
        for (Task const& task : section.tasks) {
            now += task.kind == TaskKind::copy ? 1 : task.kind == TaskKind::send ? -1 : 0;
            most = std::max(most, now);
        }
        return most;
    };
    CHECK(ahead() == pieces);
    Section const all_ahead = section;
    auto const [window, held] = GENERATE(table<std::int64_t, std::int64_t>({{4 * 64, 4}, {3 * 64 + 1, 3}, {1, 2}}));
    section = one_after_another(all_ahead);
    scheduler::sends_first(section, {1}, Room::any, window);
    CHECK(ahead() == held);
    CHECK(section.tasks.size() == all_ahead.tasks.size());
}

TEST_CASE("a cut stays within its node's tasks", "[scheduler][order]") {
    using enum TaskKind;
    CHECK(kinds(exchange(16, Room::any, true)) == std::vector{load, receive, copy, copy, copy, send, apply, store});
}

TEST_CASE("when a tensor changes its axis of cut, no rank waits before it has cut for the others",
          "[scheduler][order]") {
    int const ranks = GENERATE(2, 3, 5);
    test::GraphBuilder g;
    g.leaf("X", {30, 30});
    g.einsum("rows", "ij->ij", {"X"}, {.join = "2*x"});
    g.einsum("columns", "ij->ij", {"rows"}, {.join = "x+1"});
    auto const graph = g.finish({"columns"});
    auto plan = planner::plan(graph, {.ranks = ranks});
    plan.nodes[0] = {.parts = {ranks, 1}};
    plan.nodes[1] = {.parts = {1, ranks}};
    auto const schedule = scheduler::make_schedule(graph, plan, {.place = "pattern"});
    for (Section const& section : schedule.sections) {
        std::size_t cuts = 0, sends = 0;
        bool waits = false;
        for (Task const& task : section.tasks) {
            bool const moves = task.output >= 0 && section.blocks[static_cast<std::size_t>(task.output)].tensor == 1;
            if (task.kind == TaskKind::receive && moves) waits = true;
            if (task.kind == TaskKind::copy && moves && !waits) ++cuts;
            if (task.kind == TaskKind::send) ++sends;
        }
        CHECK(sends == static_cast<std::size_t>(ranks - 1));
        CHECK(cuts >= sends);
    }
}
