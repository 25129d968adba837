// "moved": a plan that moves little by the model of residency_cost.hpp. The best of the regular plans - grids of data
// times tensor parallelism, sequence, attention, sqrt, 3d, 25d - and EinDecomp's are both improved node by node, and
// the better one is taken, EinDecomp's only where it is clearly better. So by that model it is never worse than a
// regular plan of as many calls. Example: a graph for which megatron moves least gives megatron's plan or a better one.
#pragma once

#include "lib/relation/plan.hpp"

namespace ein::planner {

std::vector<relation::NodePlan> cut_least_moved(graph::EinGraph const& graph, std::int64_t calls);

}  // namespace ein::planner
