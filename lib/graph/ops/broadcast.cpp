#include "lib/graph/ops/broadcast.hpp"

namespace ein::graph {
namespace {

/// Takes up one extent; false when the two differ and neither is 1.
bool meet(Extent& common, Extent extent) {
    if (common == 1) common = extent;
    return extent == common || extent == 1;
}

/// The shape with axes of extent 1 at its end, where it broadcasts with `other` then: of a mean over the last axis.
std::optional<Shape> kept_axes(Shape shape, Shape const& other) {
    if (shape.empty() || shape.size() >= other.size()) return std::nullopt;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != other[axis] && shape[axis] != 1) return std::nullopt;
    shape.resize(other.size(), 1);
    return shape;
}

std::string mend_shapes(Shape const& first, Shape const& second) {
    std::string const rule = "axes are aligned on the right, their extents equal or 1: ";
    auto kept = kept_axes(second, first);
    std::string const which = kept ? to_string(second) : to_string(first);
    if (!kept) kept = kept_axes(first, second);
    if (!kept) return rule + "reshape or transpose one of them";
    return rule + "give the node that makes the one of " + which +
           " \"keepdims\": true if it aggregates the rest, or reshape it to " + index_text(*kept);
}

}  // namespace

std::optional<Shape> broadcast_shape(OpReader const& op, std::vector<std::size_t> const& inner) {
    Shape common;
    for (std::size_t k = 0; k < op.inputs(); ++k) {
        Shape const& shape = op.value(k).shape;
        std::size_t const axes = shape.size() - inner[k];
        Shape const first = common;
        if (axes > common.size()) common.insert(common.begin(), axes - common.size(), 1);
        Shape const before = common;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (meet(common[common.size() - axes + axis], shape[axis])) continue;
            op.fail_input(k, "a shape that broadcasts with " + to_string(before), op.describe(k),
                          inner[k] == 0 ? mend_shapes(first, shape) : mend_shapes({}, {}));
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
