// The functions that the optimizer is given: the planner's plans, the scheduler's schedules, and lib/schedule's
// spilling, for one graph.
// A candidate's payload is a Planned.
#pragma once

#include "apps/einplan/planning.hpp"
#include "planner/optimizer/candidate.hpp"

namespace ein::apps {

/// @param given  a plan that is already decided. All three must outlive what is returned.
planner::optimizer::Functions schedule_functions(graph::EinGraph const& graph, PlanningOptions const& options,
                                                 std::optional<relation::Plan> const& given);

/// What a candidate of these functions carries.
Planned& planned_of(planner::optimizer::Candidate const& candidate);

}  // namespace ein::apps
