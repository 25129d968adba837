// Nodes of a loop that are the same in every iteration are taken out of it: they run once.
// Example: in a body with y = A B x, A B goes before the loop when neither A nor B is carried; what is carried stays,
// and so does what an inner loop begins with.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Nodes need not be in order, but for those that read what others of them make.
void hoist(EinGraph& graph);

}  // namespace ein::graph
