#include "scheduler/order/order.hpp"

#include <set>

#include "lib/graph/sparse/stored_size.hpp"

namespace ein::scheduler {
namespace {

class LeastMemory {
public:
    explicit LeastMemory(graph::EinGraph const& graph)
        : graph_(graph), readers_(graph.consumers()), unread_(graph.values.size()), missing_(graph.nodes.size(), 0) {
        auto const producers = graph.producers();
        for (std::size_t v = 0; v < unread_.size(); ++v) unread_[v] = readers_[v].size();
        for (ValueId output : graph.outputs) ++unread_[index(output)];  // stored at the end
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            for (ValueId input : inputs_of(n)) missing_[n] += producers[index(input)] ? 1 : 0;
            if (missing_[n] == 0) ready_.insert({growth(n), n});
        }
    }

    std::vector<NodeId> run() {
        std::vector<NodeId> order;
        while (!ready_.empty()) {
            std::size_t const node = ready_.begin()->second;
            ready_.erase(ready_.begin());
            order.emplace_back(static_cast<std::int32_t>(node));
            for (ValueId input : inputs_of(node)) read(input);
            for (NodeId reader : readers_[index(graph_.nodes[node].output)]) {
                auto const next = static_cast<std::size_t>(reader.value());
                if (--missing_[next] == 0) ready_.insert({growth(next), next});
            }
        }
        return order;
    }

private:
    static std::size_t index(ValueId value) { return static_cast<std::size_t>(value.value()); }
    std::set<ValueId> inputs_of(std::size_t node) const {
        return {graph_.nodes[node].inputs.begin(), graph_.nodes[node].inputs.end()};
    }

    std::int64_t bytes_of(ValueId value) const {
        graph::Value const& of = graph_.value(value);
        return of.listing ? static_cast<std::int64_t>(graph::stored_bytes(of)) : of.bytes();
    }

    /// Bytes that live on after the node, less those that do not.
    std::int64_t growth(std::size_t node) const {
        std::int64_t bytes = bytes_of(graph_.nodes[node].output);
        for (ValueId input : inputs_of(node))
            if (unread_[index(input)] == 1) bytes -= bytes_of(input);
        return bytes;
    }

    /// One reader of `value` is done: the last one that is left, when it is ready, now frees it.
    void read(ValueId value) {
        bool const one_left = unread_[index(value)] == 2;
        if (one_left)
            for (NodeId reader : readers_[index(value)]) {
                auto const node = static_cast<std::size_t>(reader.value());
                auto const found = ready_.find({growth(node), node});
                if (found == ready_.end()) continue;
                ready_.erase(found);
                ready_.insert({growth(node) - bytes_of(value), node});
            }
        --unread_[index(value)];
    }

    graph::EinGraph const& graph_;
    std::vector<std::vector<NodeId>> readers_;
    std::vector<std::size_t> unread_;  // readers that are still to come, by ValueId
    std::vector<int> missing_;         // inputs that are still to be made, by NodeId
    std::set<std::pair<std::int64_t, std::size_t>> ready_;
};

}  // namespace

std::vector<NodeId> node_order(graph::EinGraph const& graph, Order order) {
    bool const free = graph.loops.empty();  // nodes of a loop stay together
    if (order == Order::least_memory && free) return LeastMemory(graph).run();
    std::vector<NodeId> out;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) out.emplace_back(static_cast<std::int32_t>(n));
    return out;
}

}  // namespace ein::scheduler
