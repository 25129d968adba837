#include "lib/schedule/dispatch/points.hpp"

#include <algorithm>

namespace ein::schedule {
namespace {

OptionalId<LoopId> loop_of_spec(Section const& section, LoopSpecId spec) {
    for (LoopId loop : section.loops.ids())
        if (section.loops[loop].spec == spec) return loop;
    return {};
}

/// A moment in the iterations that the rank's loops are in now; of loops in which it has no tasks, the first.
Point in_these_iterations(Header const& header, Section const& section, MomentId moment, Iterations const& iterations) {
    Point out{moment, {}};
    for (LoopSpecId spec : loops_around(header, moment)) {
        OptionalId<LoopId> const loop = loop_of_spec(section, spec);
        out.iterations.push_back(loop ? iterations.current(*loop) : 1);
    }
    return out;
}

/// The first moment of a loop, in its next iteration; nothing when this is the last, or it has no moment.
std::optional<Point> in_next_iteration(Header const& header, Section const& section, LoopId loop,
                                       Iterations const& iterations) {
    LoopSpecId const spec = section.loops[loop].spec;
    if (iterations.current(loop) >= header.loops[spec].iterations) return std::nullopt;
    for (MomentId moment : header.moments.ids()) {
        std::vector<LoopSpecId> const around = loops_around(header, moment);
        auto const found = std::find(around.begin(), around.end(), spec);
        if (found == around.end()) continue;
        Point out = in_these_iterations(header, section, moment, iterations);
        auto const level = found - around.begin();
        ++out.iterations[static_cast<std::size_t>(level)];
        std::fill(out.iterations.begin() + level + 1, out.iterations.end(), 1);
        return out;
    }
    return std::nullopt;
}

}  // namespace

std::vector<LoopSpecId> loops_around(Header const& header, MomentId moment) {
    std::vector<LoopSpecId> out;
    for (OptionalId<LoopSpecId> loop = header.moments[moment].loop; loop; loop = header.loops[*loop].outer)
        out.insert(out.begin(), *loop);
    return out;
}

bool comes_before(Header const& header, Point const& a, Point const& b) {
    std::vector<LoopSpecId> const around_a = loops_around(header, a.moment), around_b = loops_around(header, b.moment);
    for (std::size_t level = 0; level < std::min(around_a.size(), around_b.size()); ++level) {
        if (around_a[level] != around_b[level]) break;
        if (a.iterations[level] != b.iterations[level]) return a.iterations[level] < b.iterations[level];
    }
    return a.moment < b.moment;
}

Stop stop_at(Header const& header, Section const& section, Point const& point) {
    Stop out{section.moments[point.moment], {}};
    std::vector<LoopSpecId> const around = loops_around(header, point.moment);
    for (std::size_t level = 0; level < around.size(); ++level)
        if (auto const loop = loop_of_spec(section, around[level]))
            out.in.push_back({*loop, point.iterations.at(level)});
    return out;
}

std::optional<Point> next_point(Header const& header, Section const& section, TaskId unstarted,
                                Iterations const& iterations) {
    std::optional<Point> out;
    for (MomentId moment : section.moments.ids()) {
        if (section.moments[moment] < unstarted) continue;
        out = in_these_iterations(header, section, moment, iterations);
        break;
    }
    for (LoopId loop : section.loops.ids()) {
        if (unstarted <= section.loops[loop].first || section.loops[loop].last < unstarted) continue;
        auto const next = in_next_iteration(header, section, loop, iterations);
        if (next && (!out || comes_before(header, *next, *out))) out = next;
    }
    return out;
}

/// A loop counts as begun once when the loop around it begins an iteration, before any of its tasks has run.
Table<TaskId, std::int64_t> runs_before(Section const& section, TaskId before, IterationCounts const& begun) {
    Table<TaskId, std::int64_t> out(section.tasks.size(), 0);
    Table<TaskId, OptionalId<LoopId>> const loops = loops_of_tasks(section);
    for (TaskId task : out.ids()) {
        OptionalId<LoopId> const loop = loops.empty() ? OptionalId<LoopId>() : loops[task];
        out[task] = (loop ? begun[*loop] : 1) - (task < before ? 0 : 1);
    }
    return out;
}

}  // namespace ein::schedule
