// Nodes that differ in names alone, such as the layers of a network: shown once.
// Example: layer0.q, layer1.q, ... of one form, cut alike, with the same bytes and collectives: one group.
#pragma once

#include <vector>

#include "apps/explain/explanation.hpp"

namespace ein::apps::explain {

/// Positions of nodes, by group, in order; groups in the order of their first nodes.
std::vector<std::vector<std::size_t>> alike(std::vector<NodeReport> const& nodes);

}  // namespace ein::apps::explain
