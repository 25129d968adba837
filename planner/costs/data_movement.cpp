#include "planner/costs/data_movement.hpp"

#include <algorithm>
#include <cmath>

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

bool reshape_lines_up(Shape const& from, Shape const& to, Parts const& producer, Parts const& parts) {
    if (from == to) return producer == parts;
    for (AxisGroup const& g : axis_groups(from, to)) {
        bool const same_axis = g.from_end - g.from_begin == 1 && g.to_end - g.to_begin == 1;
        std::int64_t const a = g.from_begin == g.from_end ? 1
                               : same_axis                ? producer[g.from_begin]
                                                          : even_runs(from, producer, g.from_begin, g.from_end);
        std::int64_t const b = g.to_begin == g.to_end ? 1
                               : same_axis            ? parts[g.to_begin]
                                                      : even_runs(to, parts, g.to_begin, g.to_end);
        if (a == 0 || a != b) return false;
    }
    return true;
}

}  // namespace

std::vector<AxisGroup> axis_groups(Shape const& from, Shape const& to) {
    std::vector<AxisGroup> groups;
    if (element_count(from) == 0) return groups;
    std::size_t i = 0, j = 0;
    while (i < from.size() || j < to.size()) {
        AxisGroup group{i, i, j, j};
        Extent left = i < from.size() ? from[i++] : 1;
        Extent right = j < to.size() ? to[j++] : 1;
        while (left != right) {
            if (left < right)
                left *= from[i++];
            else
                right *= to[j++];
        }
        group.from_end = i, group.to_end = j;
        groups.push_back(group);
    }
    return groups;
}

Extent moved_elements(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand) {
    if (auto const* move = std::get_if<graph::Move>(&node.op)) return move->regions.at(operand).box.elements();
    promise(std::holds_alternative<graph::Reshape>(node.op), "movement of an EinSum");
    return element_count(graph.value(node.output).shape);
}

double share_in_line(graph::Move::Region const& region, std::size_t axis, Extent from, Extent to, std::int64_t parts) {
    if (parts == 1) return 1;
    graph::AxisMap const& map = region.axes[axis];
    double const length = static_cast<double>(region.box.length[axis]);
    if (map.step != 1 || length == 0) return 0;
    // How far what an index of the output takes is from where the same share of the input lies: at both ends.
    double const first = static_cast<double>(map.start - region.box.begin[axis]);
    double const last = first + static_cast<double>(to - from);
    double const apart = first * last >= 0 ? std::abs(first + last) / 2
                                           : (first * first + last * last) / (2 * (std::abs(first) + std::abs(last)));
    return std::max(0.0, 1 - apart * static_cast<double>(parts - 1) / length);
}

double misplaced_elements(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand,
                          Parts const& producer, Parts const& parts) {
    if (blocks_line_up(graph, node, operand, producer, parts)) return 0;
    auto const elements = static_cast<double>(moved_elements(graph, node, operand));
    auto const* move = std::get_if<graph::Move>(&node.op);
    if (move == nullptr || producer != parts) return elements;
    Shape const& from = graph.value(node.inputs[operand]).shape;
    Shape const& to = graph.value(node.output).shape;
    double in_line = 1;
    for (std::size_t axis = 0; axis < to.size(); ++axis)
        in_line *= share_in_line(move->regions[operand], axis, from[axis], to[axis], parts[axis]);
    return elements * (1 - in_line);
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
