// Cutting a graph into paths: the longest path first, then the longest among the nodes that are left, and so on. A path
// steps from a node to one that reads its output.
// Example: a diamond a -> b, c -> d: the paths a b d and c.
// Source: [E] section 8.4.
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::planner {

/// Paths that together hold every node once. Among equally long paths the one that ends at the earlier node comes
/// first, and it goes through earlier inputs.
std::vector<std::vector<NodeId>> longest_paths(graph::EinGraph const& graph);

}  // namespace ein::planner
