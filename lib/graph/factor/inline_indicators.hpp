// Readers of y == [v], a one-hot tensor, compare for themselves where that makes a lookup, a scatter or a count of them
// (lib/graph/indicator.hpp): the tensor of zeros and ones is then never made. Values stay as they are, nan of 0 times
// infinity included. Example: H = "i->iv" of n == [v], Z = "iv,vd->id" of H*W becomes Z = "i,vd->id" of (n == [v])*W.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Sparse values stay as they are, and so do tensors of zeros and ones that outputs or others need. Where others go,
/// values are numbered anew (graph::prune): to be done before what sparse values list is counted by their numbers.
EinGraph inline_indicators(EinGraph graph);

}  // namespace ein::graph
