#include "lib/relation/plan.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::relation {

Cost& Cost::operator+=(Cost const& other) {
    join += other.join;
    agg += other.agg;
    repart += other.repart;
    return *this;
}

int used_ranks(Plan const& plan) {
    return static_cast<int>(std::min<std::int64_t>(plan.ranks, std::max<std::int64_t>(1, plan.calls)));
}

Cost Plan::elements() const {
    Cost sum;
    for (NodePlan const& node : nodes) sum += node.elements;
    return sum;
}

Cost Plan::bytes() const {
    Cost sum;
    for (NodePlan const& node : nodes) sum += node.bytes;
    return sum;
}

Parts at_labels(Parts const& parts, std::vector<int> const& labels) {
    Parts out;
    out.reserve(labels.size());
    for (int label : labels) out.push_back(parts[static_cast<std::size_t>(label)]);
    return out;
}

void keep_shardings(graph::EinGraph const& graph, Plan& plan) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        if (graph.nodes[n].sharding) plan.nodes[n].ranks = graph::ranks_of(graph.mesh, *graph.nodes[n].sharding);
}

Parts output_parts(graph::Node const& node, NodePlan const& plan) {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    return einsum ? at_labels(plan.parts, einsum->output) : plan.parts;
}

std::optional<Parts> input_parts(graph::Node const& node, NodePlan const& plan, std::size_t operand) {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    if (!einsum) return std::nullopt;
    return at_labels(plan.parts, einsum->inputs.at(operand));
}

std::int64_t calls_of_a_block(graph::EinSum const& einsum, Parts const& parts) {
    return element_count(at_labels(parts, einsum.aggregated()));
}

std::vector<int> call_labels(graph::EinSum const& einsum) {
    std::vector<int> labels = einsum.output;
    for (int label : einsum.aggregated()) labels.push_back(label);
    return labels;
}

void verify(graph::EinGraph const& graph, Plan const& plan) {
    promise(plan.nodes.size() == graph.nodes.size(), "a plan has another number of nodes than its graph");
    for (std::size_t k = 0; k < plan.nodes.size(); ++k) {
        graph::Node const& node = graph.nodes[k];
        Shape const& extents = cut_extents(graph, node);
        Parts const& parts = plan.nodes[k].parts;
        promise(parts.size() == extents.size(), "the plan of node '" + node.name + "' has a wrong number of parts");
        for (std::size_t label = 0; label < extents.size(); ++label) {
            bool const fits = parts[label] >= 1 && parts[label] <= std::max<Extent>(1, extents[label]);
            if (!fits) {
                throw InternalError("the plan of node '" + node.name + "' cuts label '" + cut_name(node, label) +
                                    "' of extent " + std::to_string(extents[label]) + " in " +
                                    std::to_string(parts[label]));
            }
            std::int64_t const fixed = node.fixed.empty() ? 0 : node.fixed[label];
            promise(fixed == 0 || parts[label] == fixed,
                    "the plan of node '" + node.name + "' does not keep to the parts that the graph fixes");
        }
        auto const* const einsum = std::get_if<graph::EinSum>(&node.op);
        promise(einsum == nullptr || !graph.value(node.output).listing || calls_of_a_block(*einsum, parts) == 1,
                "the plan of node '" + node.name + "' cuts what a sparse result is aggregated over");
        std::vector<Rank> const& ranks = plan.nodes[k].ranks;
        bool const placed = static_cast<std::int64_t>(ranks.size()) == element_count(parts) &&
                            std::all_of(ranks.begin(), ranks.end(),
                                        [&](Rank rank) { return rank.value() >= 0 && rank.value() < plan.ranks; });
        promise(ranks.empty() || placed, "the plan of node '" + node.name + "' places its calls on wrong ranks");
    }
}

}  // namespace ein::relation
