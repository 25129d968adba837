// In which order the nodes of a graph are lowered: their tasks stand in this order, so it decides what is live at the
// same time. Example: two long branches that are added at their end: one branch to its end, then the other, instead of
// both side by side.
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::scheduler {

enum class Order { as_given, least_memory };

/// A topological order. least_memory: of the nodes whose inputs are made, always the one after which the fewest bytes
/// are live (the earlier node among equals); greedy, n log n. Schedules in that order also keep cuts for other ranks
/// from raising the peak (sends_first).
std::vector<NodeId> node_order(graph::EinGraph const& graph, Order order);

}  // namespace ein::scheduler
