#include "planner/strategies/roles.hpp"

#include <algorithm>

namespace ein::planner {
namespace {

bool holds(std::vector<int> const& labels, std::size_t label) {
    return std::find(labels.begin(), labels.end(), static_cast<int>(label)) != labels.end();
}

/// How a label stands in a product of two operands.
struct Standing {
    bool first, second, out;
};

Standing standing(graph::EinSum const& einsum, std::size_t label) {
    return {holds(einsum.inputs[0], label), holds(einsum.inputs[1], label), holds(einsum.output, label)};
}

graph::EinSum const* as_product(graph::Node const& node) {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    return einsum && einsum->operands() == 2 ? einsum : nullptr;
}

/// The class that two labels of a product share, one from each operand.
std::optional<int> meets_itself(graph::EinSum const& einsum, std::vector<int> const& classes) {
    for (std::size_t a = 0; a < classes.size(); ++a) {
        Standing const left = standing(einsum, a);
        if (!left.first || left.second || !left.out) continue;
        for (std::size_t b = 0; b < classes.size(); ++b) {
            Standing const right = standing(einsum, b);
            if (right.second && !right.first && right.out && classes[a] == classes[b]) return classes[a];
        }
    }
    return std::nullopt;
}

}  // namespace

Roles::Roles(graph::EinGraph const& graph) : classes_(graph), roles_(classes_.count(), Role::feature) {
    find_attention(graph);
    find_batch(graph);
    find_data(graph);
}

std::optional<std::size_t> Roles::label(graph::Node const& node, Role role) const {
    std::vector<int> const classes = classes_.of(node);
    auto is = [&](std::size_t label) { return of_class(classes[label]) == role; };
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) {
        for (std::vector<int> const& labels : {einsum->output, einsum->aggregated()})
            for (int label : labels)
                if (is(static_cast<std::size_t>(label))) return static_cast<std::size_t>(label);
        return std::nullopt;
    }
    for (std::size_t axis = 0; axis < classes.size(); ++axis)
        if (is(axis)) return axis;
    return std::nullopt;
}

void Roles::find_attention(graph::EinGraph const& graph) {
    for (graph::Node const& node : graph.nodes)
        if (auto const* einsum = as_product(node))
            if (auto const sequence = meets_itself(*einsum, classes_.of(node))) role(*sequence) = Role::sequence;
    for (graph::Node const& node : graph.nodes) {
        auto const* einsum = as_product(node);
        if (!einsum || !meets_itself(*einsum, classes_.of(node))) continue;
        std::vector<int> const classes = classes_.of(node);
        for (std::size_t label = 0; label < classes.size(); ++label) {
            Standing const at = standing(*einsum, label);
            Role& known = role(classes[label]);
            if (!at.out || known == Role::sequence || known == Role::heads) continue;
            known = at.first && at.second ? Role::heads : Role::group;
        }
    }
}

void Roles::find_batch(graph::EinGraph const& graph) {
    bool const attention = std::find(roles_.begin(), roles_.end(), Role::sequence) != roles_.end();
    std::vector<int> score(roles_.size(), 0);
    for (graph::Node const& node : graph.nodes) {
        if (!graph.value(node.output).shape.empty()) ++score[static_cast<std::size_t>(classes_.of(node.output, 0))];
        if (auto const* einsum = as_product(node)) {
            std::vector<int> const classes = classes_.of(node);
            for (int label : einsum->aggregated()) {
                Standing const at = standing(*einsum, static_cast<std::size_t>(label));
                if (at.first && at.second) --score[static_cast<std::size_t>(classes[static_cast<std::size_t>(label)])];
            }
        }
    }
    std::optional<int> batch;
    for (graph::Leaf const& leaf : graph.leaves) {
        if (graph.value(leaf.value).shape.empty()) continue;
        int const first = classes_.of(leaf.value, 0);
        if (attention) {
            if (role(first) == Role::heads && has(graph, leaf.value, Role::sequence)) batch = first;
            if (batch) break;
        } else if (score[static_cast<std::size_t>(first)] > (batch ? score[static_cast<std::size_t>(*batch)] : 0)) {
            batch = first;
        }
    }
    if (batch) role(*batch) = Role::batch;
}

void Roles::find_data(graph::EinGraph const& graph) {
    data_.assign(graph.values.size(), false);
    for (std::size_t k = 0; k < graph.values.size(); ++k) {
        ValueId const value{static_cast<std::int32_t>(k)};
        data_[k] = has(graph, value, Role::batch) || has(graph, value, Role::sequence);
    }
    for (graph::Node const& node : graph.nodes)
        for (ValueId input : node.inputs)
            if (is_data(input)) data_[static_cast<std::size_t>(node.output.value())] = true;
}

bool Roles::has(graph::EinGraph const& graph, ValueId value, Role role) const {
    for (std::size_t axis = 0; axis < graph.value(value).shape.size(); ++axis)
        if (of_class(classes_.of(value, axis)) == role) return true;
    return false;
}

}  // namespace ein::planner
