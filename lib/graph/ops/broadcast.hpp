// NumPy's broadcasting for ops: axes are aligned on the right, and extents are equal or 1. Example: axes of extents
// (2, 3) beside (3,) give (2, 3).
#pragma once

#include "lib/graph/ops/op_reader.hpp"

namespace ein::graph {

/// The common shape of the inputs without their last `inner[k]` axes. Nothing, and a fault at the first input that does
/// not fit.
std::optional<Shape> broadcast_shape(OpReader const& op, std::vector<std::size_t> const& inner);

/// One operand under an output of labels 0, 1, ... for the axes of `shape`.
struct BroadcastOperand {
    ValueId value;            // without the axes that are repeated
    std::vector<int> labels;  // of its axes that are left
};
/// Input k, whose last `inner` axes are left to the caller: their labels are not among those given.
BroadcastOperand broadcast_operand(OpReader& op, std::size_t k, Shape const& shape, std::size_t inner = 0);

}  // namespace ein::graph
