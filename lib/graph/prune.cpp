#include "lib/graph/prune.hpp"

#include "lib/base/error.hpp"

namespace ein::graph {
namespace {

std::size_t position(ValueId id) { return static_cast<std::size_t>(id.value()); }

/// Nodes in depth-first post-order from the outputs, inputs in order; with a list of its own, so chains may be of any length.
std::vector<std::size_t> needed_nodes(EinGraph const& graph) {
    auto const producer = graph.producers();
    std::vector<bool> seen(graph.nodes.size(), false);
    std::vector<std::size_t> order;
    struct Step {
        std::size_t node;
        std::size_t next_input = 0;
    };
    std::vector<Step> path;
    auto open = [&](ValueId value) {
        auto const node = producer[position(value)];
        if (!node || seen[static_cast<std::size_t>(node->value())]) return;
        seen[static_cast<std::size_t>(node->value())] = true;
        path.push_back({static_cast<std::size_t>(node->value())});
    };
    for (ValueId output : graph.outputs) {
        open(output);
        while (!path.empty()) {
            Step& step = path.back();
            auto const& inputs = graph.nodes[step.node].inputs;
            if (step.next_input < inputs.size()) {
                open(inputs[step.next_input++]);
            } else {
                order.push_back(step.node);
                path.pop_back();
            }
        }
    }
    return order;
}

class Renumbering {
public:
    explicit Renumbering(EinGraph& from) : from_(from), fresh_(from.values.size()) {}

    ValueId operator()(ValueId old) {
        auto& id = fresh_[position(old)];
        if (!id) {
            id = ValueId{static_cast<std::int32_t>(values.size())};
            values.push_back(std::move(from_.values[position(old)]));
        }
        return *id;
    }
    std::optional<ValueId> known(ValueId old) const { return fresh_[position(old)]; }

    std::vector<Value> values;

private:
    EinGraph& from_;
    std::vector<std::optional<ValueId>> fresh_;
};

}  // namespace

EinGraph prune(EinGraph graph) {
    std::vector<std::size_t> const order = needed_nodes(graph);
    std::vector<std::optional<std::size_t>> leaf_of(graph.values.size());
    for (std::size_t k = 0; k < graph.leaves.size(); ++k) leaf_of[position(graph.leaves[k].value)] = k;

    Renumbering fresh(graph);
    std::vector<Leaf> leaves;
    auto keep_leaf = [&](ValueId old) {
        auto const leaf = leaf_of[position(old)];
        if (!leaf || fresh.known(old)) return;
        ValueId const id = fresh(old);
        leaves.push_back({id, std::move(graph.leaves[*leaf].source)});
    };
    for (std::size_t node : order)
        for (ValueId input : graph.nodes[node].inputs) keep_leaf(input);
    for (ValueId output : graph.outputs) keep_leaf(output);

    std::vector<Node> nodes;
    for (std::size_t k : order) {
        Node node = std::move(graph.nodes[k]);
        for (ValueId& input : node.inputs) input = fresh(input);
        node.output = fresh(node.output);
        nodes.push_back(std::move(node));
    }
    for (ValueId& output : graph.outputs) output = fresh(output);
    graph.values = std::move(fresh.values);
    graph.leaves = std::move(leaves);
    graph.nodes = std::move(nodes);
    return graph;
}

}  // namespace ein::graph
