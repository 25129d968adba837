// Strategies by name: tables of rules that give every node its parts. EinDecomp is in decompose.hpp.
#pragma once

#include <string>
#include <vector>

#include "lib/relation/plan.hpp"

namespace ein::planner {

/// @throws UsageError for a strategy that is unknown or not in this version
void check_strategy(std::string const& name);

/// "sqrt": cuts the output of every node sqrt(p) ways along one label and sqrt(p) along another, as nearly as the
/// factors of p and the extents allow; aggregated labels only where the output alone has too few.
/// Example: a matmul on 8 calls: (4, 1, 2) over (i, j, k). Source: [E] section 9, what EinDecomp is compared with.
std::vector<relation::NodePlan> cut_square_root(graph::EinGraph const& graph, std::int64_t calls);

}  // namespace ein::planner
