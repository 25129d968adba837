#include "planner/movement.hpp"

#include "lib/base/error.hpp"

namespace ein::planner {
namespace {

/// An axis lines up when neither side cuts it, or both alike and the region is all of it in the same order.
bool move_lines_up(graph::Move::Region const& region, Shape const& from, Shape const& to, Parts const& producer,
                   Parts const& parts) {
    for (std::size_t axis = 0; axis < to.size(); ++axis) {
        if (producer[axis] == 1 && parts[axis] == 1) continue;
        bool const whole = from[axis] == to[axis] && region.box.length[axis] == to[axis];
        if (!whole || region.axes[axis] != graph::AxisMap{} || producer[axis] != parts[axis]) return false;
    }
    return true;
}

/// Only the first axis longer than one may be cut, evenly, for blocks to be runs of a group of axes.
/// @return the parts of the group's elements; 0 when its blocks are not equal runs
std::int64_t even_runs(Shape const& shape, Parts const& parts, std::size_t begin, std::size_t end) {
    while (begin + 1 < end && shape[begin] == 1) ++begin;
    for (std::size_t axis = begin + 1; axis < end; ++axis)
        if (parts[axis] != 1) return 0;
    return shape[begin] % parts[begin] == 0 ? parts[begin] : 0;
}

/// Walks both shapes by groups of axes with equal products: those of (6, 64) and (6, 4, 16) are 6 | 6 and 64 | 4, 16.
bool reshape_lines_up(Shape const& from, Shape const& to, Parts const& producer, Parts const& parts) {
    if (from == to) return producer == parts;
    if (element_count(from) == 0) return true;
    std::size_t i = 0, j = 0;
    while (i < from.size() || j < to.size()) {
        std::size_t const i0 = i, j0 = j;
        Extent left = i < from.size() ? from[i++] : 1;
        Extent right = j < to.size() ? to[j++] : 1;
        while (left != right) {
            if (left < right)
                left *= from[i++];
            else
                right *= to[j++];
        }
        bool const same_axis = i - i0 == 1 && j - j0 == 1;
        std::int64_t const a = i0 == i ? 1 : same_axis ? producer[i0] : even_runs(from, producer, i0, i);
        std::int64_t const b = j0 == j ? 1 : same_axis ? parts[j0] : even_runs(to, parts, j0, j);
        if (a == 0 || a != b) return false;
    }
    return true;
}

}  // namespace

Extent moved_elements(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand) {
    if (auto const* move = std::get_if<graph::Move>(&node.op)) return move->regions.at(operand).box.elements();
    promise(std::holds_alternative<graph::Reshape>(node.op), "movement of an EinSum");
    return element_count(graph.value(node.output).shape);
}

bool blocks_line_up(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand, Parts const& producer,
                    Parts const& parts) {
    Shape const& from = graph.value(node.inputs.at(operand)).shape;
    Shape const& to = graph.value(node.output).shape;
    if (auto const* move = std::get_if<graph::Move>(&node.op))
        return move_lines_up(move->regions.at(operand), from, to, producer, parts);
    return reshape_lines_up(from, to, producer, parts);
}

}  // namespace ein::planner
