#include "apps/einplan/batch/checkpoint_line.hpp"

#include <algorithm>
#include <cstdio>

#include "lib/base/json.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/schedule/memory/live_bytes.hpp"
#include "scheduler/moments/forecast.hpp"

namespace ein::apps {

namespace {

constexpr std::int64_t most_simulated_tasks = 400'000;  // a second or so
constexpr double every = 600;                           // seconds, of the share that is shown

std::int64_t all_tasks(schedule::Schedule const& schedule) {
    std::int64_t out = 0;
    for (schedule::Section const& section : schedule.sections) out += section.tasks_in_all();
    return out;
}

struct Forecast {
    scheduler::CheckpointForecast checkpoint;
    bool simulated;  // else nothing is known of times
};

Forecast forecast_of(schedule::Schedule const& schedule, scheduler::SimulationOf const& simulated) {
    if (all_tasks(schedule) <= most_simulated_tasks && !schedule.repeats())
        return {scheduler::checkpoint_forecast(schedule, simulated()), true};
    Forecast out{{}, false};
    for (std::int64_t bytes : schedule::live_bytes(schedule))
        out.checkpoint.largest = std::max(out.checkpoint.largest, bytes);
    return out;
}

}  // namespace

std::string checkpoint_line(schedule::Schedule const& schedule, scheduler::Cluster const& cluster,
                            scheduler::SimulationOf const& simulated) {
    if (schedule.header.moments.empty()) return "none can be saved: no moment at which every node is done or untouched";
    auto const [forecast, simulates] = forecast_of(schedule, simulated);
    double const seconds = static_cast<double>(forecast.largest) / cluster.disk;
    char share[32];
    std::snprintf(share, sizeof share, "%.2f %%", 100 * seconds / (every + seconds));
    return "at most " + format_bytes(static_cast<double>(forecast.largest)) + ", " + format_seconds(seconds) +
           " to write (" + share + " at --every 10min), " +
           (simulates ? format_seconds(forecast.longest_between) + " apart at most"
                      : std::to_string(schedule.header.moments.size()) + " moments");
}

Json checkpoint_json(schedule::Schedule const& schedule, scheduler::SimulationOf const& simulated) {
    auto const [forecast, simulates] = forecast_of(schedule, simulated);
    Json out{{"moments", schedule.header.moments.size()}, {"bytes", forecast.largest}, {"seconds_between", nullptr}};
    if (simulates) out["seconds_between"] = forecast.longest_between;
    return out;
}

}  // namespace ein::apps
