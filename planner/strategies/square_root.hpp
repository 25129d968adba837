// "sqrt": cuts the output of every node sqrt(p) ways along one label and sqrt(p) along another, as nearly as the
// factors of p and the extents allow; aggregated labels only where the output alone has too few. Example: a matmul on 8
// calls: (4, 1, 2) over (i, j, k). Source: [E] section 9, what EinDecomp is compared with.
#pragma once

#include <tuple>

#include "lib/relation/plan.hpp"

namespace ein::planner {

std::vector<relation::NodePlan> cut_square_root(graph::EinGraph const& graph, std::int64_t calls);

/// Smaller is squarer: partial results, labels cut beyond two, the largest part.
std::tuple<std::int64_t, std::int64_t, std::int64_t> squareness(graph::Node const& node, Parts const& parts);

}  // namespace ein::planner
