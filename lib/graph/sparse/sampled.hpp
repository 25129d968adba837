// Dense results that are read only where a sparse tensor lists something are computed there alone: in S = U V^T and
// then M = A * S, with A sparse, what S has where A lists nothing contributes to nothing. S becomes "ij,ir,jr->ij" of
// the places of A, U and V, and is kept sparse as A is; so are results on the way, as the P of P = exp(S), M = A * P.
#pragma once

#include <functional>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Whether results are worth computing at the places that a sparse leaf lists, rather than everywhere.
using SampleAt = std::function<bool(EinGraph const&, Leaf const&)>;

/// The value "LEAF:places" of a leaf that results are sampled at: 1 where it lists something, 0 elsewhere.
std::string places_name(EinGraph const& graph, Leaf const& leaf);

/// A graph as it was read, with products not yet in pairs. Values keep their numbers; values "LEAF:places" come behind.
/// What is an output, carried by a loop, sharded, cut or stored as the graph file says, or has a path, stays as it is.
EinGraph sample_at_listed(EinGraph graph, SampleAt const& sample_at);

}  // namespace ein::graph
