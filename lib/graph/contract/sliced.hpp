// A product of many operands as a loop over slices: each iteration looks up the operands' parts at one combination of
// the sliced labels' indices (or at several at once, which ranks share), contracts them, and aggregates the results.
// What no sliced label reaches is contracted once, before the loop.
// Example: "ij,jk,kl,li->" sliced over i, two at once, with i of extent 100: 50 iterations over a label of extent 2.
#pragma once

#include "lib/graph/contract/chain.hpp"
#include "lib/graph/contract/ssa_path.hpp"

namespace ein::graph {

class GraphBuilder;

/// Adds the node, whose value is there already, as such a loop. @param dtype  that results on the way are kept in
void add_sliced(GraphBuilder& builder, Node const& node, JoinChain const& chain, SsaPath const& path, DType dtype);

}  // namespace ein::graph
