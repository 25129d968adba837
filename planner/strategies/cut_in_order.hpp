// Cutting a node along a few labels, the preferred first; and cutting what is made of weights alone as its readers want
// it.
#pragma once

#include <span>

#include "lib/relation/plan.hpp"
#include "planner/strategies/roles.hpp"

namespace ein::planner {

/// Parts of a node: of the largest product, at most `calls`, that the given labels' extents allow, those with the
/// largest part on the first label, then on the second, and so on. Labels that are not given are whole. Example: labels
/// (heads: 4, group: 8) on 8 calls: (4, 2).
Parts cut_in_order(graph::EinGraph const& graph, graph::Node const& node, std::span<std::size_t const> labels,
                   std::int64_t calls);

/// Cuts the output of every node that depends on weights alone as its first reader needs it, so that a weight that is
/// only cast, reshaped or scaled lies where it is used.
void cut_weights_as_read(graph::EinGraph const& graph, Roles const& roles, std::vector<relation::NodePlan>& plans);

}  // namespace ein::planner
