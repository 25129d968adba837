// How every value is cut. A leaf: as its first reader wants it, so that what one rank loads is what it needs (loading costs nothing in
// the published model, [E] 8.2: M[v, d] = 0 for an input). A node's output: as the node makes it, but where partial results of
// several ranks are combined the block is cut further, a slice for each of those ranks: a reduce-scatter.
// Example: 4 partial results of a 2 x 1 grid of blocks, wanted next in 8 rows: cut 8 x 1, each rank reduces one slice.
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/plan.hpp"

namespace ein::scheduler {

/// Parts that cut `shape` into at most `calls` blocks, leading axes first: for tensors that no EinSum asks for.
Parts leading_parts(Shape const& shape, std::int64_t calls);

/// For each value, by ValueId, the parts of its axes.
/// @param slice_bytes  a block of partial results smaller than this is reduced whole by one rank
std::vector<Parts> value_parts(graph::EinGraph const& graph, relation::Plan const& plan, std::int64_t slice_bytes);

}  // namespace ein::scheduler
