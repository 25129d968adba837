#include "scheduler/moments/forecast.hpp"

#include <algorithm>

#include "lib/schedule/memory/live_bytes.hpp"

namespace ein::scheduler {
namespace {

using schedule::Section;

/// When all tasks before a moment have ended on one rank: the latest end among those before it.
std::vector<double> times_of_moments(Section const& section, Table<TaskId, TaskSpan> const& spans) {
    std::vector<double> out;
    double latest = 0;
    TaskId next{0};
    for (TaskId moment : section.moments) {
        for (; next < moment; next = following(next)) latest = std::max(latest, spans[next].end);
        out.push_back(latest);
    }
    return out;
}

}  // namespace

CheckpointForecast checkpoint_forecast(schedule::Schedule const& schedule, Simulation const& simulation) {
    CheckpointForecast out;
    for (std::int64_t bytes : schedule::live_bytes(schedule)) out.largest = std::max(out.largest, bytes);
    std::vector<double> reached(schedule.header.moments.size(), 0);
    for (Rank rank : schedule.sections.ids()) {
        std::vector<double> const here = times_of_moments(schedule.sections[rank], simulation.spans[rank]);
        for (std::size_t moment = 0; moment < reached.size(); ++moment)
            reached[moment] = std::max(reached[moment], here[moment]);
    }
    double last = 0;
    for (double time : reached) {
        out.longest_between = std::max(out.longest_between, time - last);
        last = std::max(last, time);
    }
    out.longest_between = std::max(out.longest_between, simulation.makespan - last);
    return out;
}

}  // namespace ein::scheduler
