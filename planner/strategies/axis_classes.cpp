#include "planner/strategies/axis_classes.hpp"

#include <algorithm>
#include <optional>

#include "planner/costs/data_movement.hpp"

namespace ein::planner {
namespace {

bool hands_on(graph::Move::Region const& region, Shape const& from, Shape const& to, std::size_t axis) {
    return from[axis] == to[axis] && region.box.length[axis] == to[axis] && region.axes[axis] == graph::AxisMap{};
}

/// The first axis longer than one, else the first.
std::size_t leading_axis(Shape const& shape, std::size_t begin, std::size_t end) {
    while (begin + 1 < end && shape[begin] == 1) ++begin;
    return begin;
}

}  // namespace

AxisClasses::AxisClasses(graph::EinGraph const& graph) {
    for (graph::Value const& value : graph.values) {
        first_.push_back(parent_.size());
        for (std::size_t axis = 0; axis < value.shape.size(); ++axis) parent_.push_back(parent_.size());
    }
    for (graph::Node const& node : graph.nodes) join_axes(graph, node);
    number();
}

std::vector<int> AxisClasses::of(graph::Node const& node) const {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    std::vector<int> out;
    if (!einsum) {
        for (std::size_t at = index(node.output, 0); at < parent_.size(); ++at) {
            bool const next = static_cast<std::size_t>(node.output.value()) + 1 < first_.size() &&
                              at == first_[static_cast<std::size_t>(node.output.value()) + 1];
            if (next) break;
            out.push_back(classes_[at]);
        }
        return out;
    }
    out.assign(einsum->labels.size(), -1);
    auto enter = [&](ValueId value, std::vector<int> const& labels) {
        for (std::size_t axis = 0; axis < labels.size(); ++axis)
            out[static_cast<std::size_t>(labels[axis])] = of(value, axis);
    };
    for (std::size_t k = 0; k < node.inputs.size(); ++k) enter(node.inputs[k], einsum->inputs[k]);
    enter(node.output, einsum->output);
    return out;
}

void AxisClasses::join_axes(graph::EinGraph const& graph, graph::Node const& node) {
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) {
        std::vector<std::optional<std::size_t>> of_label(einsum->labels.size());
        auto enter = [&](ValueId value, std::vector<int> const& labels) {
            for (std::size_t axis = 0; axis < labels.size(); ++axis) {
                auto& known = of_label[static_cast<std::size_t>(labels[axis])];
                if (known) join(*known, index(value, axis));
                if (!known) known = index(value, axis);
            }
        };
        for (std::size_t k = 0; k < node.inputs.size(); ++k) enter(node.inputs[k], einsum->inputs[k]);
        enter(node.output, einsum->output);
        return;
    }
    Shape const& to = graph.value(node.output).shape;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        ValueId const input = node.inputs[k];
        Shape const& from = graph.value(input).shape;
        if (auto const* move = std::get_if<graph::Move>(&node.op)) {
            for (std::size_t axis = 0; axis < to.size(); ++axis)
                if (hands_on(move->regions[k], from, to, axis)) join(index(input, axis), index(node.output, axis));
            continue;
        }
        for (AxisGroup const& group : axis_groups(from, to)) {
            if (group.from_begin == group.from_end || group.to_begin == group.to_end) continue;
            join(index(input, leading_axis(from, group.from_begin, group.from_end)),
                 index(node.output, leading_axis(to, group.to_begin, group.to_end)));
        }
    }
}

std::size_t AxisClasses::root(std::size_t axis) {
    while (parent_[axis] != axis) axis = parent_[axis] = parent_[parent_[axis]];
    return axis;
}

/// The earlier axis stays the root.
void AxisClasses::join(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

void AxisClasses::number() {
    classes_.resize(parent_.size());
    for (std::size_t axis = 0; axis < parent_.size(); ++axis)
        classes_[axis] = root(axis) == axis ? static_cast<int>(count_++) : classes_[root(axis)];
}

}  // namespace ein::planner
