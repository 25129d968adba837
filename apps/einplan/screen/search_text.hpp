// What a search among all plans looked at, in words: for the summary, for --explain, and as JSON.
// Example: "data on 1 rank, of 9 plans scheduled and 4 ruled out; no plan is more than 12 % faster".
#pragma once

#include <string>

#include "apps/einplan/planning.hpp"
#include "lib/base/json.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

/// A line; empty where there was no such search.
std::string search_line(planner::optimizer::SearchReport const& report);
/// Where fewer ranks than asked for were predicted to be faster: what they take and what all take; else empty.
/// @param simulated  of what was planned
std::string fewer_ranks_line(Planned const& planned, scheduler::SimulationOf const& simulated);
/// A line for each plan that was looked at or left out, under a heading.
std::string search_text(planner::optimizer::SearchReport const& report);
Json search_json(planner::optimizer::SearchReport const& report);

}  // namespace ein::apps
