// Which values of a loop's iterations list nothing but what the iteration began with lists, whatever that is. With W
// carried: 0.9*W, W*x, W minus a gradient that is sampled at W. So what is carried never lists more than it began with.
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// What loops carry sparse, by what iterations begin with, whose pattern may grow: what an iteration ends with is not
/// known to list only what it began with.
std::vector<ValueId> carried_elsewhere(EinGraph const& graph);

}  // namespace ein::graph
