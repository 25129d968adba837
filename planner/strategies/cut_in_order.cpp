#include "planner/strategies/cut_in_order.hpp"

#include <algorithm>

#include "planner/search/candidates.hpp"

namespace ein::planner {
namespace {

/// The parts that a reader wants of each axis of a value, as far as it says.
Parts wanted(graph::Node const& reader, relation::NodePlan const& plan, ValueId value, Shape const& shape,
             AxisClasses const& classes) {
    for (std::size_t k = 0; k < reader.inputs.size(); ++k)
        if (reader.inputs[k] == value)
            if (auto const parts = relation::input_parts(reader, plan, k)) return *parts;
    Parts out(shape.size(), 1);
    std::vector<int> const reader_classes = classes.of(reader);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        auto const at = std::find(reader_classes.begin(), reader_classes.end(), classes.of(value, axis));
        if (at == reader_classes.end()) continue;
        std::int64_t const parts = plan.parts[static_cast<std::size_t>(at - reader_classes.begin())];
        if (parts <= shape[axis]) out[axis] = parts;
    }
    return out;
}

}  // namespace

Parts cut_in_order(graph::EinGraph const& graph, graph::Node const& node, std::span<std::size_t const> labels,
                   std::int64_t calls) {
    Shape const& extents = relation::cut_extents(graph, node);
    Shape listed;
    for (std::size_t label : labels) listed.push_back(extents[label]);
    Parts const first = candidates(listed, calls).parts.front();  // larger parts on earlier labels first
    Parts parts(extents.size(), 1);
    for (std::size_t k = 0; k < labels.size(); ++k) parts[labels[k]] = first[k];
    return parts;
}

void cut_weights_as_read(graph::EinGraph const& graph, Roles const& roles, std::vector<relation::NodePlan>& plans) {
    auto const consumers = graph.consumers();
    for (std::size_t k = graph.nodes.size(); k-- > 0;) {
        graph::Node const& node = graph.nodes[k];
        auto const& readers = consumers[static_cast<std::size_t>(node.output.value())];
        if (roles.is_data(node.output) || readers.empty()) continue;
        std::size_t const reader = static_cast<std::size_t>(readers.front().value());
        Parts const parts =
            wanted(graph.nodes[reader], plans[reader], node.output, graph.value(node.output).shape, roles.classes());
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        std::fill(plans[k].parts.begin(), plans[k].parts.end(), 1);
        for (std::size_t axis = 0; axis < parts.size(); ++axis)
            plans[k].parts[einsum ? static_cast<std::size_t>(einsum->output[axis]) : axis] = parts[axis];
    }
}

}  // namespace ein::planner
