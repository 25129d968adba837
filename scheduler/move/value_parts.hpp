// How every value is cut: a node's output as the node makes it, a leaf as its first reader wants it, so that what one
// rank loads is what it needs (loading costs nothing in the published model, [E] 8.2: M[v, d] = 0 for an input). Which
// parts are cut again, because several ranks share them, is decided when their readers or makers are placed
// (lower/einsum/subblocks.hpp).
// Example: Z = A B with parts (1, 4, 1): A is cut 1 x 4, B 4 x 1, Z not at all; W = 2 Z in 4 rows wants Z cut 4 x 1.
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/plan.hpp"

namespace ein::scheduler {

/// Parts that cut `shape` into at most `calls` blocks, leading axes first: for tensors that no EinSum asks for.
Parts leading_parts(Shape const& shape, std::int64_t calls);

/// Whether there is more than one part.
bool cuts(Parts const& parts);

struct ValueParts {
    Parts made;  // by the maker; a leaf: as wanted
    /// By the first reader; where that does not cut it, as its own kernels would have it; empty when nobody cares.
    Parts wanted;
};

/// For each value, by ValueId.
std::vector<ValueParts> value_parts(graph::EinGraph const& graph, relation::Plan const& plan);

}  // namespace ein::scheduler
