#include "lib/graph/ops/broadcast.hpp"

namespace ein::graph {
namespace {

/// Takes up one extent; false when the two differ and neither is 1.
bool meet(Extent& common, Extent extent) {
    if (common == 1) common = extent;
    return extent == common || extent == 1;
}

}  // namespace

std::optional<Shape> broadcast_shape(OpReader const& op, std::vector<std::size_t> const& inner) {
    Shape common;
    for (std::size_t k = 0; k < op.inputs(); ++k) {
        Shape const& shape = op.value(k).shape;
        std::size_t const axes = shape.size() - inner[k];
        if (axes > common.size()) common.insert(common.begin(), axes - common.size(), 1);
        Shape const before = common;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (meet(common[common.size() - axes + axis], shape[axis])) continue;
            op.fail_input(k, "a shape that broadcasts with " + to_string(before), op.describe(k),
                          "axes are aligned on the right, their extents equal or 1: reshape or transpose one of them");
            return std::nullopt;
        }
    }
    return common;
}

BroadcastOperand broadcast_operand(OpReader& op, std::size_t k, Shape const& shape, std::size_t inner) {
    BroadcastOperand operand{op.input(k), {}};
    Shape const own = op.value(k).shape;
    std::size_t const axes = own.size() - inner;
    std::vector<std::size_t> repeated;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        std::size_t const label = shape.size() - axes + axis;
        if (own[axis] != shape[label])
            repeated.push_back(axis);
        else
            operand.labels.push_back(static_cast<int>(label));
    }
    operand.value = op.build.drop_axes("squeeze" + std::to_string(k), operand.value, repeated);
    return operand;
}

}  // namespace ein::graph
