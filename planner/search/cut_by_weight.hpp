// Uneven parts for sparse tensors whose listed elements lie unevenly (power laws): one label of the result is cut so
// that ranks go through about as many listed elements, and so is every other node whose result runs along that label
// alone, so that what one makes lies where the next wants it.
// A plan knows even parts only: the label is cut in many more parts than there are ranks, neighbouring ones go to the
// same rank, and the scheduler makes one kernel call of them (NodePlan::ranks).
// Example: of 8 rows the first lists half of all: on 2 ranks 0 | 1 1 1 1 1 1 1.
#pragma once

#include <optional>

#include "lib/relation/listed_elements.hpp"
#include "lib/relation/plan.hpp"

namespace ein::planner {

/// Nothing where listed elements lie evenly under `plan`, where no label helps, or the graph or the plan says where
/// blocks go. Costs are those of as many even parts as there are ranks.
std::optional<relation::Plan> cut_by_weight(graph::EinGraph const& graph, relation::Plan const& plan,
                                            relation::ListedBound const& listed);

}  // namespace ein::planner
