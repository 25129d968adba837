// "parts" of a graph file: into how many parts labels of a node are cut, whoever plans it.
// Example: {"Z": {"i": 4, "k": 2}} fixes two labels of the node Z and leaves its others free.
#pragma once

#include "lib/base/json.hpp"
#include "lib/graph/graph_builder.hpp"

namespace ein::graph {

/// Reads one entry of "parts": writes Node::fixed of the node that makes `of` (of several nodes of one macro that is
/// the last; of a mean its sum).
void read_parts(Cursor const& entry, GraphBuilder& graph, ValueId of);

}  // namespace ein::graph
