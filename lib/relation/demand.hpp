// Which elements of every value are needed for some elements of one: nodes are walked once, backwards, and what several
// readers want of a value is united axis by axis. Of a loop of which something is needed, all is.
// Example: element (3, 5) of a matmul needs row 3 of the left operand and column 5 of the right.
#pragma once

#include <optional>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/sampled.hpp"

namespace ein::relation {

/// For each value the elements that are needed; nothing where none is.
using Demand = std::vector<std::optional<Sets>>;

/// @param producers  EinGraph::producers()
Demand demand_for(graph::EinGraph const& graph, std::vector<std::optional<NodeId>> const& producers, ValueId value,
                  Sets wanted);

/// How far each label of an EinSum runs when `output` is wanted: over the set's size, or the whole extent when
/// aggregated.
Shape loop_lengths(graph::EinSum const& einsum, Sets const& output);

/// The output indices of `set` that a region covers along one axis, and the input indices that they read.
struct AxisReads {
    std::vector<Extent> to, from;
};
AxisReads reads_along(graph::Move::Region const& region, std::size_t axis, IndexSet const& set);

}  // namespace ein::relation
