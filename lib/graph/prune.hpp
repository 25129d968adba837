// What the outputs need and nothing else, in an order that keeps few values alive: depth first, each node right before
// the first node that needs it. Values are numbered anew: leaves in order of first use, then the nodes' values.
// Example: outputs {D} of C = A B, D = C, E = A keeps A, B, C, D.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

EinGraph prune(EinGraph graph);

}  // namespace ein::graph
