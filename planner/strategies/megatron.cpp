#include "planner/strategies/megatron.hpp"

#include <algorithm>

#include "planner/strategies/cut_in_order.hpp"

namespace ein::planner {
namespace {

using Labels = std::vector<std::size_t>;

bool has(auto const& labels, std::size_t label) {
    return std::any_of(labels.begin(), labels.end(), [&](auto l) { return static_cast<std::size_t>(l) == label; });
}

class Megatron {
public:
    Megatron(graph::EinGraph const& graph, std::int64_t calls, std::int64_t data)
        : graph_(graph), tensor_calls_(calls / data), data_calls_(data), roles_(graph), inside_(graph.values.size()) {}

    std::vector<relation::NodePlan> run() {
        std::vector<relation::NodePlan> plans;
        for (graph::Node const& node : graph_.nodes) {
            Labels labels = is_data(node.output) ? labels_to_cut(node) : Labels{};
            plans.push_back({.parts = cut_twice(node, labels), .candidates = 1});
        }
        cut_weights_as_read(graph_, roles_, plans);
        return plans;
    }

private:
    Parts cut_twice(graph::Node const& node, Labels const& labels) const {
        Labels data;
        for (Role const role : {Role::batch, Role::sequence})
            if (auto const label = roles_.label(node, role)) data.push_back(*label);
        Parts parts = cut_in_order(graph_, node, labels, tensor_calls_);
        Parts const more = cut_in_order(graph_, node, data, data_calls_);
        Shape const& extents = relation::cut_extents(graph_, node);
        for (std::size_t k = 0; k < parts.size(); ++k)
            parts[k] = std::clamp<std::int64_t>(parts[k] * more[k], 1, std::max<Extent>(extents[k], 1));
        return parts;
    }

    /// Also notes which axes of the output are inside.
    Labels labels_to_cut(graph::Node const& node) {
        Labels labels = inside_labels(node);
        if (labels.empty()) labels = columns(node);
        if (labels.empty()) return outside_labels(node);
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        Labels& inside = inside_[static_cast<std::size_t>(node.output.value())];
        for (std::size_t label : labels) {
            if (!einsum) inside.push_back(label);
            if (!einsum) continue;
            auto const at = std::find(einsum->output.begin(), einsum->output.end(), static_cast<int>(label));
            if (at != einsum->output.end()) inside.push_back(static_cast<std::size_t>(at - einsum->output.begin()));
        }
        return labels;
    }

    /// Labels of the node's inputs that are inside, in the order of operands and of their axes.
    Labels inside_labels(graph::Node const& node) const {
        Labels labels;
        std::vector<int> const classes = roles_.classes().of(node);
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            for (std::size_t axis : inside_[static_cast<std::size_t>(node.inputs[k].value())]) {
                std::size_t label = classes.size();
                if (auto const* einsum = std::get_if<graph::EinSum>(&node.op))
                    label = static_cast<std::size_t>(einsum->inputs[k][axis]);
                else
                    label = static_cast<std::size_t>(
                        std::find(classes.begin(), classes.end(), roles_.classes().of(node.inputs[k], axis)) -
                        classes.begin());
                if (label < classes.size() && !has(labels, label)) labels.push_back(label);
            }
        }
        return labels;
    }

    /// Of a product of outside data with a weight, or of a lookup in one; else none.
    Labels columns(graph::Node const& node) const {
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        if (!einsum) return {};
        std::vector<int> data, weights;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            auto& of = is_data(node.inputs[k]) ? data : weights;
            of.insert(of.end(), einsum->inputs[k].begin(), einsum->inputs[k].end());
        }
        bool product = false;
        for (int label : einsum->aggregated()) {
            auto const l = static_cast<std::size_t>(label);
            if (has(weights, l) && !has(data, l)) return {l};  // rows of a table
            product = product || (has(weights, l) && has(data, l));
        }
        if (!product) return {};
        Labels columns;
        for (int label : einsum->output)
            if (auto const l = static_cast<std::size_t>(label); has(weights, l) && !has(data, l)) columns.push_back(l);
        return heads_or_all(node, columns);
    }

    Labels heads_or_all(graph::Node const& node, Labels const& columns) const {
        std::vector<int> const classes = roles_.classes().of(node);
        Labels heads;
        for (Role const role : {Role::heads, Role::group})
            for (std::size_t label : columns)
                if (roles_.of_class(classes[label]) == role) heads.push_back(label);
        return heads.empty() ? columns : heads;
    }

    Labels outside_labels(graph::Node const& node) const {
        for (Role const role : {Role::sequence, Role::batch})
            if (auto const label = roles_.label(node, role)) return {*label};
        return {};
    }

    bool is_data(ValueId value) const { return roles_.is_data(value); }

    graph::EinGraph const& graph_;
    std::int64_t tensor_calls_, data_calls_;
    Roles roles_;
    std::vector<Labels> inside_;  // of each value the axes that are inside
};

}  // namespace

std::vector<relation::NodePlan> cut_megatron(graph::EinGraph const& graph, std::int64_t calls) {
    return Megatron(graph, calls, 1).run();
}

std::vector<relation::NodePlan> cut_data_times_tensor(graph::EinGraph const& graph, std::int64_t calls,
                                                      std::int64_t data) {
    return Megatron(graph, calls, data).run();
}

}  // namespace ein::planner
