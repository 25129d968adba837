// What a search among all plans looked at, in words: for the summary, for --explain, and as JSON.
// Example: "data on 1 rank, of 9 plans scheduled and 4 ruled out; no plan is more than 12 % faster".
#pragma once

#include <optional>
#include <string>

#include "apps/einplan/planning.hpp"
#include "lib/base/json.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

/// A line; empty where there was no such search.
std::string search_line(planner::optimizer::SearchReport const& report);
/// Where the search left ranks idle: why, in two words, and what those that are used take and what more of them take.
struct FewerRanks {
    std::string heading, text;
};
/// @param simulated  of what was planned
std::optional<FewerRanks> fewer_ranks(Planned const& planned, scheduler::SimulationOf const& simulated);
/// A line for each plan that was looked at or left out, under a heading.
std::string search_text(planner::optimizer::SearchReport const& report);
Json search_json(planner::optimizer::SearchReport const& report);

}  // namespace ein::apps
