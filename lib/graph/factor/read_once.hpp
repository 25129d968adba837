// A sparse tensor that a node reads twice in the same way is read once: what it lists need not be matched with itself.
// Example: with A sparse, "ij,ij->i" of A and A by x*y becomes "ij->i" of A by x*x.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Of tensors that the graph reads; dense ones stay, as products of two have loops. Nodes with a path stay too.
EinGraph read_once(EinGraph graph);

}  // namespace ein::graph
