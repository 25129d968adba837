#include "scheduler/simulate/plan_bound.hpp"

#include <algorithm>

#include "lib/scalar/expression/ops.hpp"
#include "scheduler/simulate/kernel_cost.hpp"

namespace ein::scheduler {
namespace {

double elements_of(graph::Value const& value) { return static_cast<double>(element_count(value.shape)); }

/// Seconds of one iteration of a node on one rank, at least: its operations, or the bytes that it writes. What sparse
/// tensors list is not looked at, and kernels that may be fused or left out count nothing.
double work_of(graph::EinGraph const& graph, graph::Node const& node, Cluster const& cluster) {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    graph::Value const& result = graph.value(node.output);
    bool const only_moves = einsum && einsum->operands() == 1 && einsum->join.op() == scalar::Op::operand;
    if (!einsum || result.listing || (only_moves && einsum->aggregated().empty())) return 0;
    for (ValueId input : node.inputs)
        if (graph.value(input).listing) return 0;
    KernelCost const cost = kernel_cost(*einsum, graph::types_of(graph, node).compute, cluster);
    double points = 1;
    for (Extent extent : einsum->extents) points *= static_cast<double>(extent);
    if (cost.scattered >= 0)
        points /= static_cast<double>(std::max<Extent>(1, einsum->extents[static_cast<std::size_t>(cost.scattered)]));
    double const operations = (cost.lookup ? elements_of(result) : points) * cost.operations;
    double const written = elements_of(result) * static_cast<double>(size_of(result.dtype));
    double const fastest = std::max({cluster.bytes, cluster.cached, cluster.memory_rate});
    return std::max(operations / cost.rate, written / fastest);
}

}  // namespace

PlanBound::PlanBound(graph::EinGraph const& graph, Cluster const& cluster)
    : graph_(graph), per_task_(cluster.per_task), producers_(graph.producers()), readers_(graph.consumers()) {
    double fastest = 1;
    for (auto const& [rank, speed] : cluster.speeds) fastest = std::max(fastest, speed);
    per_task_ /= fastest;
    for (graph::Node const& node : graph.nodes) {
        iterations_.push_back(static_cast<double>(graph.iterations(node.loop)));
        work_.push_back(work_of(graph, node, cluster) * iterations_.back() / fastest);
    }
}

template <class Calls>
double PlanBound::bound(int ranks, Calls const& calls) const {
    double all = 0, longest = 0;
    std::vector<double> ends(work_.size(), 0);  // of the longest path to the end of each node
    for (std::size_t n = 0; n < work_.size(); ++n) {
        all += work_[n];
        for (ValueId input : graph_.nodes[n].inputs)
            if (auto const producer = producers_[static_cast<std::size_t>(input.value())])
                ends[n] = std::max(ends[n], ends[static_cast<std::size_t>(producer->value())]);
        double const sharing = static_cast<double>(std::min<std::int64_t>(ranks, calls(n)));
        // One iteration only: ranks may be in different ones at a time.
        if (work_[n] > 0) ends[n] += work_[n] / iterations_[n] / sharing + per_task_;
        longest = std::max(longest, ends[n]);
    }
    return std::max(longest, all / static_cast<double>(ranks));
}

double PlanBound::of(relation::Plan const& plan) const {
    return bound(relation::used_ranks(plan),
                 [&](std::size_t node) { return std::max<std::int64_t>(1, element_count(plan.nodes[node].parts)); });
}

double PlanBound::beside(relation::Plan const& varied, relation::Plan const& known, double seconds,
                         std::span<double const> held_up) const {
    if (!graph_.loops.empty()) return 0;
    std::vector<std::uint8_t> touched(graph_.values.size());
    auto const touch = [&](ValueId id) { touched[static_cast<std::size_t>(id.value())] = 1; };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
        relation::NodePlan const &a = varied.nodes[n], &b = known.nodes[n];
        if (are_cut_alike(a, b)) continue;
        graph::Node const& node = graph_.nodes[n];
        touch(node.output);
        for (ValueId input : node.inputs) touch(input);
        for (NodeId reader : readers_[static_cast<std::size_t>(node.output.value())]) touch(graph_.node(reader).output);
    }
    int const ranks = relation::used_ranks(varied);
    double gained = 0;
    for (std::size_t v = 0; v < touched.size(); ++v) {
        if (touched[v] == 0) continue;
        double const least = producers_[v] ? work_[static_cast<std::size_t>(producers_[v]->value())] / ranks : 0;
        gained += std::max(0.0, held_up[v] - least);
    }
    return seconds - gained;
}

double PlanBound::of_any(int ranks, std::int64_t calls) const {
    return bound(ranks, [&](std::size_t) { return std::max<std::int64_t>(1, calls); });
}

}  // namespace ein::scheduler
