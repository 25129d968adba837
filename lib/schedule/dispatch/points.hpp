// Where a run is, or is to stop: at a moment, and in which iteration of each loop around it. Points of a run are in one
// order for all ranks; what a rank does at one is a Stop: the task of its own section before which it stands still.
// Example: a loop of 100 iterations whose body has moments 2 and 3: {2, {7}} comes before {3, {7}}, that before {2,
// {8}}, and all of them before {4, {}}, behind the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/schedule/dispatch/iterations.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

struct Point {
    MomentId moment;
    std::vector<std::int64_t> iterations;  // of the loops around it, outermost first, from 1
    friend bool operator==(Point const&, Point const&) = default;
};

/// The loops around a moment, outermost first.
std::vector<LoopSpecId> loops_around(Header const& header, MomentId moment);
/// Whether a run comes to `a` before it comes to `b`.
bool comes_before(Header const& header, Point const& a, Point const& b);

/// A point as one rank sees it.
struct Stop {
    struct In {
        LoopId loop;
        std::int64_t iteration;
    };
    TaskId before;
    std::vector<In> in;  // those of the loops around it in which this rank has tasks
};
Stop stop_at(Header const& header, Section const& section, Point const& point);

/// The first point that a rank has not passed. @param unstarted  no task from here on has started; in this
/// iteration  @return nothing when there is none any more
std::optional<Point> next_point(Header const& header, Section const& section, TaskId unstarted,
                                Iterations const& iterations);

/// How often each task has run when a rank stands before one. @param begun  iterations of its loops, as
/// Iterations::begun()
Table<TaskId, std::int64_t> runs_before(Section const& section, TaskId before, IterationCounts const& begun);

}  // namespace ein::schedule
