#include "scheduler/value_parts.hpp"

#include <algorithm>

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

namespace {

using graph::EinGraph;
using relation::Plan;

/// What a Move or Reshape makes of its input: the output's parts where the shapes have the same order, else any even cut.
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
    for (graph::Leaf const& leaf : graph.leaves) {
        ValueParts& parts = of(leaf.value);
        parts.made = parts.wanted.empty() ? leading_parts(graph.value(leaf.value).shape, plan.calls) : parts.wanted;
    }
    return out;
}

}  // namespace ein::scheduler
