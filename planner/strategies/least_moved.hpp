// "moved": the plan that moves least by the model of moved.hpp. It begins with the best of EinDecomp's and every named strategy's
// plan and of grids of data times tensor parallelism, and improves it node by node; so by that model it is
// never worse than any of them.
// Example: a graph for which megatron moves least gives megatron's plan or a better one.
#pragma once

#include "lib/relation/plan.hpp"

namespace ein::planner {

std::vector<relation::NodePlan> cut_least_moved(graph::EinGraph const& graph, std::int64_t calls);

}  // namespace ein::planner
