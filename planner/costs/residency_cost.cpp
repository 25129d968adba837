#include "planner/costs/residency_cost.hpp"

#include <algorithm>
#include <numeric>

#include "lib/graph/sparse/stored_size.hpp"
#include "planner/costs/cost.hpp"
#include "planner/costs/data_movement.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

/// The share of a value that lies in the block that is needed of it where the block `home` lies.
double share_in_place(Parts const& home, Parts const& need) {
    double share = 1;
    for (std::size_t axis = 0; axis < home.size(); ++axis)
        if (need[axis] > home[axis]) share *= static_cast<double>(home[axis]) / static_cast<double>(need[axis]);
    return share;
}

}  // namespace

ResidencyCost::ResidencyCost(graph::EinGraph const& graph)
    : graph_(graph),
      producers_(graph.producers()),
      consumers_(graph.consumers()),
      iterations_(graph.iterations_of_values()) {
    for (graph::Node const& node : graph.nodes) partial_bytes_.push_back(weights(graph, node, Unit::bytes).partial);
}

double ResidencyCost::of_value(ValueId value, std::vector<Parts> const& parts, OptionalId<NodeId> reader) const {
    double const bytes = graph::stored_bytes(graph_.value(value));
    std::vector<Need> const needs = needs_of(value, parts, reader);
    double moved = of_movements(value, parts);
    auto const iterations = static_cast<double>(iterations_[at(value)]);
    if (needs.empty()) return iterations * moved;
    Parts const home = home_of(value, parts, needs);
    for (Need const& need : needs) {
        double const wanted = static_cast<double>(need.calls) / static_cast<double>(element_count(need.parts));
        moved += bytes * std::max(0.0, wanted - share_in_place(home, need.parts));
    }
    return iterations * moved;
}

double ResidencyCost::of_partials(NodeId node, Parts const& parts) const {
    auto const* einsum = std::get_if<graph::EinSum>(&graph_.node(node).op);
    if (!einsum) return 0;
    double partials = 1;
    for (int label : einsum->aggregated()) partials *= static_cast<double>(parts[static_cast<std::size_t>(label)]);
    double const elements = static_cast<double>(element_count(graph_.value(graph_.node(node).output).shape));
    return (partials - 1) * elements * partial_bytes_[at(node)];
}

double ResidencyCost::total(std::vector<Parts> const& parts) const {
    double sum = 0;
    for (std::size_t k = 0; k < graph_.values.size(); ++k)
        sum += of_value(ValueId{static_cast<std::int32_t>(k)}, parts);
    for (std::size_t k = 0; k < graph_.nodes.size(); ++k)
        sum += of_partials(NodeId{static_cast<std::int32_t>(k)}, parts[k]);
    return sum;
}

/// What EinSums need of a value, each kind of block once, in the order of readers: of the first of them where they are
/// many.
std::vector<ResidencyCost::Need> ResidencyCost::needs_of(ValueId value, std::vector<Parts> const& parts,
                                                         OptionalId<NodeId> reader) const {
    std::vector<Need> needs;
    std::vector<NodeId> const& readers = consumers_[at(value)];
    for (std::size_t r = 0; r < std::min(readers.size(), tuning::most_readers); ++r)
        add_needs(readers[r], value, parts, needs);
    if (reader) add_needs(*reader, value, parts, needs);
    return needs;
}

void ResidencyCost::add_needs(NodeId reader, ValueId value, std::vector<Parts> const& parts,
                              std::vector<Need>& needs) const {
    graph::Node const& node = graph_.node(reader);
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    if (!einsum) return;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (node.inputs[k] != value) continue;
        Need need{{}, element_count(parts[at(reader)])};
        for (int label : einsum->inputs[k]) need.parts.push_back(parts[at(reader)][static_cast<std::size_t>(label)]);
        if (std::find(needs.begin(), needs.end(), need) == needs.end()) needs.push_back(std::move(need));
    }
}

Parts ResidencyCost::home_of(ValueId value, std::vector<Parts> const& parts, std::vector<Need> const& needs) const {
    auto const producer = producers_[at(value)];
    if (!producer) return needs.front().parts;
    Parts home = relation::output_parts(graph_.node(*producer), {.parts = parts[at(*producer)]});
    std::int64_t subblocks = element_count(parts[at(*producer)]) / std::max<std::int64_t>(1, element_count(home));
    Parts const& wanted = needs.front().parts;
    for (std::size_t axis = 0; axis < home.size(); ++axis) {
        if (wanted[axis] % home[axis] != 0) continue;
        std::int64_t const factor = std::gcd(wanted[axis] / home[axis], subblocks);
        home[axis] *= factor;
        subblocks /= factor;
    }
    return home;
}

/// What Moves and Reshapes take of a value out of line.
double ResidencyCost::of_movements(ValueId value, std::vector<Parts> const& parts) const {
    auto const producer = producers_[at(value)];
    if (!producer) return 0;
    double moved = 0;
    for (NodeId reader : consumers_[at(value)]) {
        graph::Node const& node = graph_.node(reader);
        if (std::holds_alternative<graph::EinSum>(node.op)) continue;
        Parts const from = relation::output_parts(graph_.node(*producer), {.parts = parts[at(*producer)]});
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            if (node.inputs[k] == value) moved += cost_of_edge(graph_, node, k, from, parts[at(reader)], Unit::bytes);
    }
    return moved;
}

}  // namespace ein::planner
