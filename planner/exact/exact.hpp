// The plan of least published cost on any graph, where EinDecomp's paths are optimal on forests alone. What hangs on
// the graph as trees is eliminated (tree_elimination.hpp), each connected rest is solved by bounds and a dynamic
// program over its frontier (exact/solve.hpp). Never worse than the linearised answer of decompose.hpp, from which it
// starts.
// Anytime: within a budget of counted work, so that the same inputs give the same plan, or of seconds where the user
// gives them; the gap says how far from least the plan may be when the budget ended the search.
// Example: a diamond a -> b, c -> d: paths see three of its four edges, this sees all.
// Source: [E] sections 7 and 8 for what is minimised; the search is ours.
#pragma once

#include "planner/search/decompose.hpp"

namespace ein::planner {

/// @return parts and candidates of every node, and the gap: 0 when the plan is proven to be of least cost
Decomposition decompose_exactly(graph::EinGraph const& graph, DecomposeOptions const& options);

}  // namespace ein::planner
