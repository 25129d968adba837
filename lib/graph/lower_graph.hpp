// From the graph that a user wrote to the one that is planned and run: products of many operands in pairs, sparse
// tensors made dense where a node must look at all elements.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// The same for the same graph: planner, run and checkpoint number its values alike.
EinGraph lower_graph(EinGraph graph);

}  // namespace ein::graph
