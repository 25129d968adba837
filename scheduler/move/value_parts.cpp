#include "scheduler/move/value_parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/graph/labels.hpp"
#include "scheduler/lower/einsum/split_call.hpp"
#include "scheduler/simulate/kernel_cost.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

Parts leading_parts(Shape const& shape, std::int64_t calls) {
    Parts parts;
    for (Extent extent : shape) {
        std::int64_t const here = std::clamp<std::int64_t>(calls, 1, std::max<Extent>(extent, 1));
        parts.push_back(here);
        calls /= here;
    }
    return parts;
}

bool cuts(Parts const& parts) {
    return std::any_of(parts.begin(), parts.end(), [](std::int64_t count) { return count > 1; });
}

namespace {

using graph::EinGraph;
using relation::Plan;

/// What a Move or Reshape makes of its input: the output's parts where the shapes have the same order, else any even
/// cut.
Parts parts_for_movement(EinGraph const& graph, Plan const& plan, NodeId node, ValueId input) {
    Shape const& shape = graph.value(input).shape;
    if (!std::holds_alternative<graph::Move>(graph.node(node).op)) return leading_parts(shape, plan.calls);
    Parts parts = plan.node(node).parts;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        parts[axis] = std::clamp<std::int64_t>(parts[axis], 1, std::max<Extent>(shape[axis], 1));
    return parts;
}

Parts wanted_by(EinGraph const& graph, Plan const& plan, NodeId id, ValueId input) {
    graph::Node const& node = graph.node(id);
    for (std::size_t operand = 0; operand < node.inputs.size(); ++operand)
        if (node.inputs[operand] == input)
            if (auto parts = relation::input_parts(node, plan.node(id), operand)) return *parts;
    return parts_for_movement(graph, plan, id, input);
}

/// Kernels of products read rows whose summed labels are their last where they lie, and pack columns. Where partial
/// results are made subblock by subblock, subblocks of rows pack all columns again each: with few rows that takes long,
/// and subblocks of columns are better.
/// @param parts  of labels  @return cut along columns; empty where it makes little difference
Parts packed_once(graph::EinSum const& einsum, Parts const& parts) {
    if (!is_matrix_product(einsum) || einsum.operands() != 2) return {};
    auto const lies_ready = [&](std::vector<int> const& labels) {
        return std::is_partitioned(labels.begin(), labels.end(), [&](int label) { return !einsum.aggregates(label); });
    };
    if (lies_ready(einsum.inputs[0]) == lies_ready(einsum.inputs[1])) return {};
    std::vector<int> const& packed = einsum.inputs[lies_ready(einsum.inputs[0]) ? 1 : 0];
    auto const at = [](int label) { return static_cast<std::size_t>(label); };
    double rows = 1;
    for (int label : einsum.output)
        if (!graph::has_label(packed, label))
            rows *= static_cast<double>(einsum.extents[at(label)]) / static_cast<double>(parts[at(label)]);
    double points = 1;
    for (std::size_t label = 0; label < parts.size(); ++label)
        points *= static_cast<double>(einsum.extents[label]) / static_cast<double>(parts[label]);
    if (rows >= tuning::rows_worth_packing || points < SplitRule().product_points) return {};
    Parts wanted(einsum.output.size(), 1);
    for (std::size_t axis = 0; axis < wanted.size(); ++axis)
        if (graph::has_label(packed, einsum.output[axis])) {
            wanted[axis] = einsum.extents[at(einsum.output[axis])];  // any cut along it will do
            return wanted;
        }
    return {};
}

/// Partial results of leaves' products; what is made of other values comes by rows, as those do (pipelining.hpp).
void cut_as_kernels_like(EinGraph const& graph, Plan const& plan, std::vector<ValueParts>& values) {
    std::vector<std::optional<NodeId>> const producers = graph.producers();
    auto const index = [](ValueId value) { return static_cast<std::size_t>(value.value()); };
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        graph::Node const& node = graph.nodes[n];
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        ValueParts& value = values[index(node.output)];
        if (einsum == nullptr || cuts(value.wanted)) continue;
        Parts const& parts = plan.nodes[n].parts;
        if (!cuts(relation::at_labels(parts, einsum->aggregated()))) continue;
        if (std::any_of(node.inputs.begin(), node.inputs.end(),
                        [&](ValueId id) { return producers[index(id)].has_value(); }))
            continue;
        if (Parts wanted = packed_once(*einsum, parts); !wanted.empty()) value.wanted = std::move(wanted);
    }
}

}  // namespace

std::vector<ValueParts> value_parts(EinGraph const& graph, Plan const& plan) {
    std::vector<ValueParts> out(graph.values.size());
    auto of = [&](ValueId value) -> ValueParts& { return out[static_cast<std::size_t>(value.value())]; };
    for (std::size_t n = graph.nodes.size(); n-- > 0;) {  // backwards, so that the first reader has the last word
        NodeId const id{static_cast<std::int32_t>(n)};
        graph::Node const& node = graph.node(id);
        of(node.output).made = relation::output_parts(node, plan.node(id));
        for (ValueId input : node.inputs) of(input).wanted = wanted_by(graph, plan, id, input);
    }
    cut_as_kernels_like(graph, plan, out);
    for (graph::Leaf const& leaf : graph.leaves) {
        ValueParts& parts = of(leaf.value);
        parts.made = parts.wanted.empty() ? leading_parts(graph.value(leaf.value).shape, plan.calls) : parts.wanted;
    }
    return out;
}

}  // namespace ein::scheduler
