#include "lib/graph/verify_node.hpp"

#include <algorithm>

#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

bool in_range(int label, EinSum const& einsum) {
    return label >= 0 && static_cast<std::size_t>(label) < einsum.labels.size();
}

bool labels_fit(EinSum const& einsum, std::vector<int> const& labels, Shape const& shape) {
    if (labels.size() != shape.size()) return false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (!in_range(labels[axis], einsum) || einsum.extents[static_cast<std::size_t>(labels[axis])] != shape[axis])
            return false;
    return true;
}

bool all_distinct(std::vector<int> list) {
    std::sort(list.begin(), list.end());
    return std::adjacent_find(list.begin(), list.end()) == list.end();
}

/// Every label is used: one that nothing has would multiply the work and mean nothing.
bool all_used(EinSum const& einsum) {
    std::vector<bool> used(einsum.labels.size(), false);
    for (auto const& labels : einsum.inputs)
        for (int label : labels) used[static_cast<std::size_t>(label)] = true;
    for (int label : einsum.output) used[static_cast<std::size_t>(label)] = true;
    return std::find(used.begin(), used.end(), false) == used.end();
}

std::string problem_of_join(EinGraph const& graph, Node const& node, EinSum const& einsum) {
    if (einsum.join.empty()) return "it has no join";
    for (scalar::Expr const* const part : scalar::arguments_first(einsum.join)) {
        scalar::Node const& leaf = part->node();
        if (leaf.op == scalar::Op::operand && static_cast<std::size_t>(leaf.slot) >= einsum.operands())
            return "the join reads an operand too many";
        if (leaf.op == scalar::Op::index && !in_range(leaf.slot, einsum))
            return "the join reads a label that does not exist";
        if (leaf.op == scalar::Op::param && !graph.params.contains(leaf.name))
            return "the join reads the unknown param '" + leaf.name + "'";
    }
    std::vector<DType> dtypes;
    for (ValueId input : node.inputs) dtypes.push_back(graph.value(input).dtype);
    DType const output = graph.value(node.output).dtype;
    DType const compute = einsum.compute.value_or(compute_type(einsum.join, dtypes, output));
    return scalar::type_of(einsum.join, compute, compute_dtype({}, output)).problem;
}

std::string problem_of_einsum(EinGraph const& graph, Node const& node, EinSum const& einsum) {
    if (einsum.labels.size() != einsum.extents.size()) return "labels and extents differ in number";
    if (einsum.operands() != node.inputs.size()) return "operands and inputs differ in number";
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        if (!labels_fit(einsum, einsum.inputs[k], graph.value(node.inputs[k]).shape))
            return "the labels of operand " + std::to_string(k) + " do not fit its shape";
    if (!labels_fit(einsum, einsum.output, graph.value(node.output).shape))
        return "the output's labels do not fit its shape";
    if (!all_distinct(einsum.output)) return "a label is in the output twice";
    if (!all_used(einsum)) return "a label is neither in an operand nor in the output";
    return problem_of_join(graph, node, einsum);
}

bool region_fits(Move::Region const& region, Shape const& input, Shape const& output) {
    if (region.box.order() != output.size() || region.box.length.size() != output.size()) return false;
    if (region.axes.size() != input.size() || input.size() != output.size()) return false;
    if (!Box::whole(output).contains(region.box)) return false;
    for (std::size_t axis = 0; axis < input.size(); ++axis) {
        if (region.axes[axis].step == 0) return false;
        if (region.box.empty()) continue;
        Extent const first = region.axes[axis].start;
        Extent const last = first + region.axes[axis].step * (region.box.length[axis] - 1);
        if (std::min(first, last) < 0 || std::max(first, last) >= input[axis]) return false;
    }
    return true;
}

/// The one axis along which the boxes differ, as those of concat and pad do.
std::optional<std::size_t> varying_axis(std::vector<Move::Region> const& regions) {
    std::optional<std::size_t> varying;
    Box const& first = regions.front().box;
    for (Move::Region const& region : regions)
        for (std::size_t axis = 0; axis < first.order(); ++axis) {
            if (region.box.begin[axis] == first.begin[axis] && region.box.length[axis] == first.length[axis]) continue;
            if (varying && *varying != axis) return std::nullopt;
            varying = axis;
        }
    return varying;
}

bool disjoint_along(std::vector<Move::Region> const& regions, std::size_t axis) {
    std::vector<std::pair<Extent, Extent>> spans;
    for (Move::Region const& region : regions)
        if (region.box.length[axis] > 0) spans.emplace_back(region.box.begin[axis], region.box.end(axis));
    std::sort(spans.begin(), spans.end());
    for (std::size_t k = 1; k < spans.size(); ++k)
        if (spans[k].first < spans[k - 1].second) return false;
    return true;
}

bool disjoint(std::vector<Move::Region> const& regions) {
    if (auto const axis = varying_axis(regions)) {
        if (disjoint_along(regions, *axis)) return true;
    }
    for (std::size_t a = 0; a < regions.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (!intersection(regions[a].box, regions[b].box).empty()) return false;
    return true;
}

std::string problem_of_move(EinGraph const& graph, Node const& node, Move const& move) {
    Value const& output = graph.value(node.output);
    if (move.regions.size() != node.inputs.size()) return "regions and inputs differ in number";
    Extent covered = 0;
    for (std::size_t k = 0; k < move.regions.size(); ++k) {
        Value const& input = graph.value(node.inputs[k]);
        if (input.dtype != output.dtype) return "an input has another dtype than the output";
        if (!region_fits(move.regions[k], input.shape, output.shape))
            return "region " + std::to_string(k) + " does not fit its input or the output";
        covered += move.regions[k].box.elements();
    }
    if (!disjoint(move.regions)) return "two regions overlap";
    return move.fill || covered == element_count(output.shape)
               ? ""
               : "no region covers a part of the output and there is no fill";
}

std::string problem_of_reshape(EinGraph const& graph, Node const& node) {
    Value const& input = graph.value(node.inputs.front());
    Value const& output = graph.value(node.output);
    if (node.inputs.size() != 1 || input.dtype != output.dtype) return "a reshape changes more than the shape";
    return element_count(input.shape) == element_count(output.shape) ? "" : "a reshape changes the number of elements";
}

}  // namespace

std::string problem_of(EinGraph const& graph, Node const& node) {
    if (auto const* einsum = std::get_if<EinSum>(&node.op)) return problem_of_einsum(graph, node, *einsum);
    if (auto const* move = std::get_if<Move>(&node.op)) return problem_of_move(graph, node, *move);
    return problem_of_reshape(graph, node);
}

}  // namespace ein::graph
