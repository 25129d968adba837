#include "scheduler/simulate/node_times.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// Two blocks of T made on rank 0 by a node, then one on rank 1.
schedule::Schedule three_calls() {
    ScheduleBuilder b(2);
    b.tensor("T", {64});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 64}}));
    for (std::string const id : {"a", "b"}) b.load(0, "x" + id, "T", {{0}, {4}});
    for (std::string const id : {"a", "b"}) {
        b.block(0, id, "T", {{0}, {4}});
        b.apply(0, copy, {{0}, {4}}, {"x" + id}, id);
    }
    b.transfer(0, "b", 1);
    b.store(0, "a");
    b.block(1, "c", "T", {{0}, {4}});
    b.apply(1, copy, {{0}, {4}}, {"b"}, "c");
    b.store(1, "c");
    return b.finish();
}

/// By hand: applies of rank 0 from `first` on, each for 2 s, the message from 4 s to 7 s (it waits), the apply of rank
/// 1 for 2.5 s.
scheduler::Simulation simulated(schedule::Schedule const& schedule, std::vector<double> const& first) {
    scheduler::Simulation out;
    out.spans.resize(schedule.sections.size());
    for (Rank rank : schedule.sections.ids()) {
        auto const& tasks = schedule.sections[rank].tasks;
        out.spans[rank].resize(tasks.size());
        std::size_t applied = 0;
        for (TaskId id : tasks.ids()) {
            scheduler::TaskSpan& span = out.spans[rank][id];
            if (tasks[id].traits().is_transfer()) span.begin = 4, span.end = 7;
            if (!tasks[id].is<schedule::Apply>()) continue;
            span.begin = rank == Rank{0} ? first.at(applied++) : 7;
            span.end = span.begin + (rank == Rank{0} ? 2 : 2.5);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("a node takes as long as tasks of it run on the rank where that is longest", "[scheduler][simulate]") {
    auto const schedule = three_calls();
    scheduler::Cluster cluster;
    cluster.inside = {16, 0.5, 0.25, {}};  // 32 bytes: 2 s
    auto times = node_times(schedule, simulated(schedule, {0, 2}), cluster);
    CHECK(times.at("copy") == scheduler::NodeTime{4, 0});  // one after the other
    CHECK(times.at("T") == scheduler::NodeTime{0, 2.75});
    CHECK(times.size() == 2);
    times = node_times(schedule, simulated(schedule, {0, 1}), cluster);
    CHECK(times.at("copy").computing == Approx(3));  // a second of both at once
    times = node_times(schedule, simulated(schedule, {0, 0}), cluster);
    CHECK(times.at("copy").computing == Approx(2.5));  // now it is rank 1
}
