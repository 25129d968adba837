// What is cheap to see of a node: what is computed over which extents, cut how. Layers of a network have the same
// outlines again and again. Nodes with different ones are not alike (alike_nodes.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "lib/relation/plan.hpp"

namespace ein::scheduler {

/// By NodeId; a hash of each.
std::vector<std::uint64_t> outlines_of(graph::EinGraph const& graph, relation::Plan const& plan);

/// Whether two nodes compute the same, given operands of the same shapes.
bool same_operation(graph::Node const& a, graph::Node const& b);
/// Equal where that is so.
std::uint64_t operation_hash(graph::Node const& node);

}  // namespace ein::scheduler
