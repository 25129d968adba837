#include "planner/costs/cost.hpp"

#include <algorithm>

#include "lib/graph/sparse/stored_size.hpp"
#include "planner/costs/data_movement.hpp"

namespace ein::planner {
namespace {

double product(Parts const& parts) {
    double all = 1;
    for (std::int64_t part : parts) all *= static_cast<double>(part);
    return all;
}

/// Elements of the block that a kernel call has of a tensor with these labels.
double block_elements(graph::EinSum const& einsum, Parts const& parts, std::vector<int> const& labels, double times) {
    double cuts = 1;
    for (int label : labels) {
        times *= static_cast<double>(einsum.extents[static_cast<std::size_t>(label)]);
        cuts *= static_cast<double>(parts[static_cast<std::size_t>(label)]);
    }
    return times / cuts;  // multiplied first: whole numbers stay exact
}

}  // namespace

double weight_of(graph::Value const& value, Unit unit) {
    return unit == Unit::elements ? graph::elements_a_place(value) : graph::bytes_a_place(value);
}

Weights weights(graph::EinGraph const& graph, graph::Node const& node, Unit unit) {
    Weights out;
    auto const iterations = static_cast<double>(graph.iterations(node.loop));
    for (ValueId input : node.inputs) out.inputs.push_back(iterations * weight_of(graph.value(input), unit));
    out.partial = iterations;
    if (unit == Unit::bytes && std::holds_alternative<graph::EinSum>(node.op))
        out.partial *= static_cast<double>(size_of(graph::types_of(graph, node).accumulate));
    out.partial *= graph::elements_a_place(graph.value(node.output));
    return out;
}

double cost_join(graph::EinSum const& einsum, Parts const& parts, Weights const& weights) {
    double const calls = product(parts);
    double sum = 0;
    for (std::size_t k = 0; k < einsum.inputs.size(); ++k)
        sum += weights.inputs[k] * block_elements(einsum, parts, einsum.inputs[k], calls);
    return sum;
}

double cost_agg(graph::EinSum const& einsum, Parts const& parts, Weights const& weights) {
    double groups = 1;
    for (int label : einsum.output) groups *= static_cast<double>(parts[static_cast<std::size_t>(label)]);
    double const in_group = product(parts) / groups;
    return weights.partial * (in_group - 1) * block_elements(einsum, parts, einsum.output, groups);
}

double cost_repart(Shape const& shape, Parts const& producer, Parts const& consumer, double weight) {
    double n = 1, producer_blocks = 1, consumer_blocks = 1, pieces = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        n *= static_cast<double>(shape[axis]);
        producer_blocks *= static_cast<double>(producer[axis]);
        consumer_blocks *= static_cast<double>(consumer[axis]);
        pieces *= static_cast<double>(std::max(producer[axis], consumer[axis]));  // n / n_int
    }
    double const collecting = (pieces - consumer_blocks) * (n / consumer_blocks + n / producer_blocks);
    double const extracting = pieces == producer_blocks ? 0 : n * consumer_blocks / producer_blocks;
    return weight * (collecting + extracting);
}

relation::Cost cost_of_node(graph::EinGraph const& graph, graph::Node const& node, Parts const& parts, Unit unit) {
    return cost_of_node(graph, node, parts, weights(graph, node, unit));
}

relation::Cost cost_of_node(graph::EinGraph const& graph, graph::Node const& node, Parts const& parts,
                            Weights const& of) {
    relation::Cost cost;
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) {
        cost.join = cost_join(*einsum, parts, of);
        cost.agg = cost_agg(*einsum, parts, of);
        return cost;
    }
    for (std::size_t k = 0; k < node.inputs.size(); ++k)
        cost.join += of.inputs[k] * static_cast<double>(moved_elements(graph, node, k));
    return cost;
}

double cost_of_edge(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand, Parts const& producer,
                    Parts const& parts, Unit unit) {
    graph::Value const& input = graph.value(node.inputs[operand]);
    double const weight = weight_of(input, unit);
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) {
        Parts needed;
        for (int label : einsum->inputs[operand]) needed.push_back(parts[static_cast<std::size_t>(label)]);
        return cost_repart(input.shape, producer, needed, weight);
    }
    return weight * misplaced_elements(graph, node, operand, producer, parts);
}

void price(graph::EinGraph const& graph, relation::Plan& plan) { price(graph, plan, {}); }

void price(graph::EinGraph const& graph, relation::Plan& plan, std::vector<relation::NodePlan> const& priced) {
    auto const producers = graph.producers();
    auto const iterations = graph.iterations_of_values();
    for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
        graph::Node const& node = graph.nodes[k];
        relation::NodePlan& of = plan.nodes[k];
        auto const is_cut_alike = [&](std::size_t n) { return plan.nodes[n].parts == priced[n].parts; };
        bool alike = !priced.empty() && is_cut_alike(k);
        for (std::size_t operand = 0; alike && operand < node.inputs.size(); ++operand) {
            auto const producer = producers[static_cast<std::size_t>(node.inputs[operand].value())];
            alike = !producer || is_cut_alike(static_cast<std::size_t>(producer->value()));
        }
        if (alike) {
            of.elements = priced[k].elements, of.bytes = priced[k].bytes;
            continue;
        }
        of.elements = cost_of_node(graph, node, of.parts, Unit::elements);
        of.bytes = cost_of_node(graph, node, of.parts, Unit::bytes);
        for (std::size_t operand = 0; operand < node.inputs.size(); ++operand) {
            auto const producer = producers[static_cast<std::size_t>(node.inputs[operand].value())];
            if (!producer) continue;
            Parts const from = relation::output_parts(graph.node(*producer), plan.node(*producer));
            auto const times = static_cast<double>(iterations[static_cast<std::size_t>(node.inputs[operand].value())]);
            of.elements.repart += times * cost_of_edge(graph, node, operand, from, of.parts, Unit::elements);
            of.bytes.repart += times * cost_of_edge(graph, node, operand, from, of.parts, Unit::bytes);
        }
    }
}

}  // namespace ein::planner
