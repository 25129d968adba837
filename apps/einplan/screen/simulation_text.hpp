// What einplan --simulate and --sweep say of a simulated run: text for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

/// A rank count of a sweep and what was predicted for it.
struct SweepRow {
    int ranks = 1;
    double seconds = 0;
    std::int64_t words = 0;  // elements received by the busiest rank
    std::int64_t bytes = 0;  // moved in all
    std::int64_t peak = 0;   // of blocks, on the fullest rank
    double efficiency = 1;   // speed against one rank, divided by the ranks
    bool fits = true;        // in the cluster's memory
};

/// Seconds are left to the caller.
SweepRow sweep_row(schedule::Schedule const& schedule, double seconds, double seconds_of_one_rank,
                   std::optional<std::int64_t> memory);

/// Makespan, efficiency, seconds by rank, a timeline of at most 100 columns, the critical path by node.
std::string simulation_text(schedule::Schedule const& schedule, scheduler::Simulation const& simulation,
                            std::string const& cluster);
std::string sweep_text(std::vector<SweepRow> const& rows, std::string const& cluster);

Json simulation_json(schedule::Schedule const& schedule, scheduler::Simulation const& simulation);
Json sweep_json(std::vector<SweepRow> const& rows);

}  // namespace ein::apps
