// An operation of a graph as people write it.
// Example: "ij,jk->ik"; "batch seq d, d ff -> batch seq ff"; "ik->i, join abs(x), agg max"; "reshape (6, 64) to (6, 4,
// 16)".
#pragma once

#include <string>

#include "lib/graph/ein_graph.hpp"

namespace ein::apps::explain {

/// @param params  of the graph: joins name them
std::string operation_text(graph::EinGraph const& graph, graph::Node const& node);

}  // namespace ein::apps::explain
