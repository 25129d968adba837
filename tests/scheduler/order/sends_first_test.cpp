#include "scheduler/order/sends_first.hpp"

#include "lib/schedule/memory/replay.hpp"
#include "planner/planner.hpp"
#include "scheduler/emit/section_builder.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using schedule::Apply;
using schedule::Copy;
using schedule::InputId;
using schedule::KernelId;
using schedule::Load;
using schedule::MessageTag;
using schedule::MovementId;
using schedule::OutputId;
using schedule::Receive;
using schedule::Section;
using schedule::Send;
using schedule::Store;
using schedule::Task;
using schedule::TaskKind;
using schedule::TensorId;
using scheduler::Room;

namespace {

constexpr TaskKind load = schedule::kind_of<Load>, apply = schedule::kind_of<Apply>, copy = schedule::kind_of<Copy>,
                   send = schedule::kind_of<Send>, receive = schedule::kind_of<Receive>,
                   store = schedule::kind_of<Store>;

Box row(Extent begin, Extent length) { return {{begin}, {length}}; }

/// Half of X stays here and meets what rank 1 sends; the other half goes there. Then X itself is spent, and a block of
/// `later` elements made.
Section exchange(Extent later, Room room, bool cut_in_a_node_of_its_own = false) {
    scheduler::SectionBuilder b;
    b.begin_node();
    auto const block = [&](int tensor, Box const& box) { return b.add_block(TensorId{tensor}, DType::f64, box); };
    Box const near = row(0, 4), far = row(4, 4);
    BlockId const x = block(0, row(0, 8));
    b.add(Load{InputId{0}, x});
    BlockId const theirs = block(1, far), z = block(1, row(0, 8));
    b.add(Receive{theirs, Rank{1}, MessageTag{0}, {}});
    b.add(Copy{MovementId{0}, theirs, z, view(far)});
    b.add(Copy{MovementId{0}, x, z, view(near)});
    if (cut_in_a_node_of_its_own) b.begin_node();
    BlockId const cut = block(1, far);
    b.add(Copy{MovementId{0}, x, cut, view(far)});
    b.add(Send{cut, Rank{1}, MessageTag{0}, {}});
    b.begin_node();
    BlockId const last = block(2, row(0, later));
    b.add(Apply{KernelId{0}, {&z, 1}, last, view(row(0, later))});
    b.add(Store{OutputId{0}, last});
    return std::move(b).finish(room);
}

/// The same tasks with each cut directly before its send.
Section one_after_another(Section section) {
    std::vector<Task> cuts, tasks;
    for (Task const& task : section.tasks)
        if (task.is<Copy>()) cuts.push_back(task);
    auto cut = cuts.begin();
    for (Task const& task : section.tasks) {
        if (task.is<Copy>()) continue;
        if (task.is<Send>()) tasks.push_back(*cut++);
        tasks.push_back(task);
    }
    section.tasks = Table<TaskId, Task>(std::move(tasks));
    return section;
}

std::vector<TaskKind> kinds(Section const& section) {
    std::vector<TaskKind> out;
    for (Task const& task : section.tasks) out.push_back(task.kind());
    return out;
}

}  // namespace

TEST_CASE("what another rank waits for is cut before this rank waits for its own", "[scheduler][order]") {
    Section const section = exchange(16, Room::within_peak);  // the last block decides the peak
    CHECK(kinds(section) == std::vector{load, copy, receive, copy, copy, send, apply, store});
    CHECK(section.box_of(section.blocks[*section.tasks[TaskId{1}].result()]) == row(4, 4));
    CHECK(schedule::replay(section).peak == (8 + 16) * 8);
}

TEST_CASE("a cut stays where its block would raise the peak, if memory is short", "[scheduler][order]") {
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
    auto const block = [&](int tensor, Box const& box) { return b.add_block(TensorId{tensor}, DType::f64, box); };
    BlockId const x = block(0, row(0, 64));
    b.add(Load{InputId{0}, x});
    constexpr int pieces = 6;
    for (int k = 0; k < pieces; ++k) {
        Box const piece = row(8 * k, 8);
        BlockId const theirs = block(1, piece), cut = block(0, piece);
        b.add(Receive{theirs, Rank{1}, MessageTag{k}, {}});
        b.add(Copy{MovementId{0}, x, cut, view(piece)});
        b.add(Send{cut, Rank{1}, MessageTag{k}, {}});
    }
    Section section = std::move(b).finish(Room::any);  // all of them are small
    auto const ahead = [&] {
        std::int64_t most = 0, now = 0;
        for (Task const& task : section.tasks) {
            now += task.is<Copy>() ? 1 : task.is<Send>() ? -1 : 0;
            most = std::max(most, now);
        }
        return most;
    };
    CHECK(ahead() == pieces);
    Section const all_ahead = section;
    auto const [window, held] = GENERATE(table<std::int64_t, std::int64_t>({{4 * 64, 4}, {3 * 64 + 1, 3}, {1, 2}}));
    section = one_after_another(all_ahead);
    scheduler::sends_first(section, {TaskId{1}}, Room::any, window);
    CHECK(ahead() == held);
    CHECK(section.tasks.size() == all_ahead.tasks.size());
}

TEST_CASE("a cut stays within its node's tasks", "[scheduler][order]") {
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
            bool const moves = task.result() && section.blocks[*task.result()].tensor == TensorId{1};
            if (task.is<Receive>() && moves) waits = true;
            if (task.is<Copy>() && moves && !waits) ++cuts;
            if (task.is<Send>()) ++sends;
        }
        CHECK(sends == static_cast<std::size_t>(ranks - 1));
        CHECK(cuts >= sends);
    }
}
