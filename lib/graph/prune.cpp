#include "lib/graph/prune.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/base/error.hpp"

namespace ein::graph {
namespace {

/// What outputs need: nodes and loops, and what loops carry.
class Needed {
public:
    explicit Needed(EinGraph const& graph)
        : graph_(graph),
          producer_(graph.producers()),
          nodes_(graph.nodes.size(), false),
          loops_(graph.loops.size(), false) {
        for (Loop const& loop : graph.loops)
            for (Loop::Carry const& carry : loop.carries) {
                partner_[carry.inside] = carry.result;
                partner_[carry.result] = carry.inside;
            }
        for (ValueId output : graph.outputs) need(output);
        while (!open_.empty()) {
            ValueId const value = open_.back();
            open_.pop_back();
            if (auto const other = partner_.find(value); other != partner_.end()) need(other->second);
            if (auto const node = producer_[at(value)])
                for (ValueId input : graph.node(*node).inputs) need(input);
        }
    }

    bool node(std::size_t k) const { return nodes_[k]; }
    bool makes(ValueId value) const {
        auto const node = producer(value);
        return node && nodes_[static_cast<std::size_t>(node->value())];
    }
    bool loop(std::size_t l) const { return loops_[l]; }
    std::optional<NodeId> producer(ValueId value) const { return producer_[at(value)]; }

private:
    void need(ValueId value) {
        auto const node = producer_[at(value)];
        if (!node || nodes_[static_cast<std::size_t>(node->value())]) return;
        nodes_[static_cast<std::size_t>(node->value())] = true;
        open_.push_back(value);
        for (std::int32_t loop : graph_.loops_around(graph_.node(*node).loop)) {
            loops_[static_cast<std::size_t>(loop)] = true;
            if (auto const& condition = graph_.loops[static_cast<std::size_t>(loop)].condition) need(*condition);
        }
    }

    EinGraph const& graph_;
    std::vector<std::optional<NodeId>> producer_;
    std::vector<bool> nodes_, loops_;
    std::unordered_map<ValueId, ValueId>
        partner_;  // of what is carried: the result of the value inside, and the other way
    std::vector<ValueId> open_;
};

/// Needed nodes in depth-first post-order from the outputs, inputs in order; a loop's nodes together, as if they were
/// one that reads all that they read from outside. With a list of its own, so chains may be of any length; loops in
/// loops are walked one in another.
class Order {
public:
    Order(EinGraph const& graph, Needed const& needed)
        : graph_(graph), needed_(needed), seen_(graph.nodes.size(), false) {
        inputs_of_.resize(graph.loops.size());
        for (std::size_t k = 0; k < graph.nodes.size(); ++k)
            for (std::int32_t loop : graph.loops_around(graph.nodes[k].loop))
                if (needed.node(k))
                    for (ValueId input : graph.nodes[k].inputs)
                        inputs_of_[static_cast<std::size_t>(loop)].push_back(input);
        for (std::size_t l = 0; l < graph.loops.size();
             ++l)  // what an iteration begins with, though nothing in it may read that
            for (Loop::Carry const& carry : graph.loops[l].carries)
                for (std::int32_t loop : graph.loops_around(static_cast<std::int32_t>(l)))
                    if (needed.makes(carry.result)) inputs_of_[static_cast<std::size_t>(loop)].push_back(carry.inside);
        walk(-1, graph.outputs);
    }
    std::vector<std::size_t> take() { return std::move(order_); }

private:
    struct Step {
        std::size_t node;
        std::int32_t loop;  // the whole of it; -1: the node alone
        std::size_t next_input = 0;
    };

    void walk(std::int32_t scope, std::vector<ValueId> const& roots) {
        std::vector<Step> path;
        std::vector<bool> entered(graph_.loops.size(), false);
        auto open = [&](ValueId value) {
            auto const node = needed_.producer(value);
            if (!node || seen_[static_cast<std::size_t>(node->value())]) return;
            std::int32_t const own = graph_.node(*node).loop;
            std::vector<std::int32_t> const around = graph_.loops_around(own);
            if (scope >= 0 && std::find(around.begin(), around.end(), scope) == around.end()) return;  // from outside
            std::int32_t const loop = graph_.loop_within(scope, own);
            if (loop >= 0 && entered[static_cast<std::size_t>(loop)]) return;
            if (loop >= 0)
                entered[static_cast<std::size_t>(loop)] = true;
            else
                seen_[static_cast<std::size_t>(node->value())] = true;
            path.push_back({static_cast<std::size_t>(node->value()), loop});
        };
        for (ValueId root : roots) {
            open(root);
            while (!path.empty()) {
                Step& step = path.back();
                auto const& inputs =
                    step.loop < 0 ? graph_.nodes[step.node].inputs : inputs_of_[static_cast<std::size_t>(step.loop)];
                if (step.next_input < inputs.size()) {
                    open(inputs[step.next_input++]);
                    continue;
                }
                Step const done = step;
                path.pop_back();
                if (done.loop < 0)
                    order_.push_back(done.node);
                else
                    walk(done.loop, ends_of(done.loop));
            }
        }
    }

    std::vector<ValueId> ends_of(std::int32_t number) const {
        Loop const& loop = graph_.loops[static_cast<std::size_t>(number)];
        std::vector<ValueId> out;
        for (Loop::Carry const& carry : loop.carries)
            if (needed_.makes(carry.result)) out.push_back(carry.result);
        if (loop.condition) out.push_back(*loop.condition);
        return out;
    }

    EinGraph const& graph_;
    Needed const& needed_;
    std::vector<bool> seen_;                       // by node
    std::vector<std::vector<ValueId>> inputs_of_;  // by loop: all that its nodes read
    std::vector<std::size_t> order_;
};

class Renumbering {
public:
    explicit Renumbering(EinGraph& from) : from_(from), fresh_(from.values.size()) {}

    ValueId operator()(ValueId old) {
        auto& id = fresh_[at(old)];
        if (!id) {
            id = ValueId{static_cast<std::int32_t>(values.size())};
            values.push_back(std::move(from_.values[at(old)]));
        }
        return *id;
    }
    std::optional<ValueId> known(ValueId old) const { return fresh_[at(old)]; }

    std::vector<Value> values;

private:
    EinGraph& from_;
    std::vector<std::optional<ValueId>> fresh_;
};

}  // namespace

EinGraph prune(EinGraph graph) {
    Needed const needed(graph);
    std::vector<std::size_t> const order = Order(graph, needed).take();
    std::vector<std::optional<std::size_t>> leaf_of(graph.values.size());
    for (std::size_t k = 0; k < graph.leaves.size(); ++k) leaf_of[at(graph.leaves[k].value)] = k;

    Renumbering fresh(graph);
    std::vector<Leaf> leaves;
    auto keep_leaf = [&](ValueId old) {
        auto const leaf = leaf_of[at(old)];
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
    std::vector<std::int32_t> number(graph.loops.size(), -1);  // of those that are kept
    std::vector<Loop> loops;
    for (std::size_t l = 0; l < graph.loops.size(); ++l) {
        if (!needed.loop(l)) continue;
        number[l] = static_cast<std::int32_t>(loops.size());
        Loop& loop = loops.emplace_back(std::move(graph.loops[l]));
        std::erase_if(loop.carries, [&](Loop::Carry const& carry) { return !fresh.known(carry.result); });
        for (Loop::Carry& carry : loop.carries) carry = {fresh(carry.inside), fresh(carry.result)};
        if (loop.condition) loop.condition = fresh(*loop.condition);
    }
    for (Loop& loop : loops)
        if (loop.outer >= 0) loop.outer = number[static_cast<std::size_t>(loop.outer)];
    for (Node& node : nodes)
        if (node.loop >= 0) node.loop = number[static_cast<std::size_t>(node.loop)];
    graph.loops = std::move(loops);
    graph.values = std::move(fresh.values);
    graph.leaves = std::move(leaves);
    graph.nodes = std::move(nodes);
    return graph;
}

}  // namespace ein::graph
