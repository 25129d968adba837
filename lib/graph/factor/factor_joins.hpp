// What a join computes from few labels is computed once for each element of those labels, in a node of its own, and not
// once a term. What is left is a product wherever it is one. Bits stay as they are, but for factors of one operand that
// a product has apart from one another: they are multiplied first. Leaves orders of products to contract.hpp.
// Example: C = "ij,jk->ik" with join x*tanh(y) becomes C:y = tanh(y) and C = C's x times C:y.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// @return the graph; values keep their numbers. Nodes that read or make sparse values stay as they are.
EinGraph factor_joins(EinGraph graph);

}  // namespace ein::graph
