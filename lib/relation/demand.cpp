#include "lib/relation/demand.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::relation {
namespace {

void unite(std::optional<Sets>& wanted, Sets sets) {
    if (!wanted) {
        wanted = std::move(sets);
        return;
    }
    for (std::size_t axis = 0; axis < sets.size(); ++axis) (*wanted)[axis].unite(sets[axis]);
}

void demand_of_einsum(graph::EinSum const& einsum, graph::Node const& node, Sets const& output, Demand& demand) {
    Shape const lengths = loop_lengths(einsum, output);  // of a network, more points than can be counted
    if (std::find(lengths.begin(), lengths.end(), 0) != lengths.end()) return;
    Sets by_label = all_of(einsum.extents);
    for (std::size_t axis = 0; axis < output.size(); ++axis)
        by_label[static_cast<std::size_t>(einsum.output[axis])] = output[axis];
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        Sets sets;
        for (int label : einsum.inputs[k]) sets.push_back(by_label[static_cast<std::size_t>(label)]);
        unite(demand[at(node.inputs[k])], std::move(sets));
    }
}

void demand_of_move(graph::EinGraph const& graph, graph::Move const& move, graph::Node const& node, Sets const& output,
                    Demand& demand) {
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        Sets sets;
        bool empty = false;
        for (std::size_t axis = 0; axis < output.size(); ++axis) {
            AxisReads reads = reads_along(move.regions[k], axis, output[axis]);
            empty = empty || reads.from.empty();
            std::sort(reads.from.begin(), reads.from.end());
            sets.push_back(IndexSet::of(graph.value(node.inputs[k]).shape[axis], std::move(reads.from)));
        }
        if (!empty) unite(demand[at(node.inputs[k])], std::move(sets));
    }
}

/// The box of index sets around the wanted elements: they are a product under one shape, not under the other.
void demand_of_reshape(Shape const& from, Shape const& to, ValueId input, Sets const& output, Demand& demand) {
    Shape const sizes = sizes_of(output);
    if (element_count(sizes) == 0) return;
    if (std::all_of(output.begin(), output.end(), [](IndexSet const& set) { return set.is_all(); }))
        return unite(demand[at(input)], all_of(from));
    std::vector<std::vector<bool>> marks;
    for (Extent extent : from) marks.emplace_back(static_cast<std::size_t>(extent), false);
    std::vector<Extent> const strides = row_major_strides(to);
    for_each_index(sizes, [&](std::vector<Extent> const& index) {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) linear += output[axis][index[axis]] * strides[axis];
        for (std::size_t axis = from.size(); axis-- > 0; linear /= from[axis])
            marks[axis][static_cast<std::size_t>(linear % from[axis])] = true;
    });
    Sets sets;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
        std::vector<Extent> picks;
        for (Extent index = 0; index < from[axis]; ++index)
            if (marks[axis][static_cast<std::size_t>(index)]) picks.push_back(index);
        sets.push_back(IndexSet::of(from[axis], std::move(picks)));
    }
    unite(demand[at(input)], std::move(sets));
}

/// Whether node `k` is the last of an outermost loop.
bool ends_loop(graph::EinGraph const& graph, std::size_t k) {
    std::int32_t const outermost = graph.loop_within(-1, graph.nodes[k].loop);
    return outermost >= 0 &&
           (k + 1 == graph.nodes.size() || graph.loop_within(-1, graph.nodes[k + 1].loop) != outermost);
}

/// An iteration needs all of the iteration before: where anything of the outermost loop that ends with node `last` is
/// wanted, all of it is.
void demand_of_loop(graph::EinGraph const& graph, std::size_t last, Demand& demand) {
    std::int32_t const outermost = graph.loop_within(-1, graph.nodes[last].loop);
    auto const is_inside = [&](std::size_t k) { return graph.loop_within(-1, graph.nodes[k].loop) == outermost; };
    std::size_t first = last;
    bool wanted = demand[at(graph.nodes[last].output)].has_value();
    for (; first > 0 && is_inside(first - 1); --first) wanted = wanted || demand[at(graph.nodes[first - 1].output)];
    if (!wanted) return;
    auto const all = [&](ValueId value) { demand[at(value)] = all_of(graph.value(value).shape); };
    for (std::size_t k = first; k <= last; ++k) all(graph.nodes[k].output);
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(graph.loops.size()); ++l)
        if (graph.loop_within(-1, l) == outermost)
            for (graph::Loop::Carry const& carry : graph.loops[static_cast<std::size_t>(l)].carries) all(carry.inside);
}

}  // namespace

Shape loop_lengths(graph::EinSum const& einsum, Sets const& output) {
    Shape lengths = einsum.extents;
    for (std::size_t axis = 0; axis < output.size(); ++axis)
        lengths[static_cast<std::size_t>(einsum.output[axis])] = output[axis].size();
    return lengths;
}

AxisReads reads_along(graph::Move::Region const& region, std::size_t axis, IndexSet const& set) {
    AxisReads reads;
    for (Extent k = 0; k < set.size(); ++k) {
        if (set[k] < region.box.begin[axis] || set[k] >= region.box.end(axis)) continue;
        reads.to.push_back(set[k]);
        reads.from.push_back(region.axes[axis].start + region.axes[axis].step * (set[k] - region.box.begin[axis]));
    }
    return reads;
}

Demand demand_for(graph::EinGraph const& graph, std::vector<std::optional<NodeId>> const& producers, ValueId value,
                  Sets wanted) {
    Demand demand(graph.values.size());
    demand[at(value)] = std::move(wanted);
    std::size_t last = producers[at(value)] ? static_cast<std::size_t>(producers[at(value)]->value()) + 1 : 0;
    while (last > 0 && graph.nodes[last - 1].loop >= 0 && !ends_loop(graph, last - 1)) ++last;
    for (std::size_t k = last; k-- > 0;) {
        graph::Node const& node = graph.nodes[k];
        if (ends_loop(graph, k)) demand_of_loop(graph, k, demand);
        if (!demand[at(node.output)]) continue;
        Sets const& output = *demand[at(node.output)];
        if (auto const* einsum = std::get_if<graph::EinSum>(&node.op))
            demand_of_einsum(*einsum, node, output, demand);
        else if (auto const* move = std::get_if<graph::Move>(&node.op))
            demand_of_move(graph, *move, node, output, demand);
        else
            demand_of_reshape(graph.value(node.inputs[0]).shape, graph.value(node.output).shape, node.inputs[0], output,
                              demand);
    }
    return demand;
}

}  // namespace ein::relation
