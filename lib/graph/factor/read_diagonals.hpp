// Results of which only a diagonal is read are made as that diagonal: what lies beside it is never computed. Each of
// its elements is what it was. Example: S = "ij,kj->ik" of A and B, t = "ii->" of S becomes S = "ij,ij->i", t = "i->".
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// What outputs or loops want whole stays as it is, and so do nodes that the graph file cuts, shards or slices. Values
/// keep their numbers and names; those that become diagonals have fewer axes.
EinGraph read_diagonals(EinGraph graph);

}  // namespace ein::graph
