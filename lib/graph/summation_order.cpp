#include "lib/graph/summation_order.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/scalar/program/program.hpp"

namespace ein::graph {
namespace {

constexpr Extent least_terms_of_a_stage = 16;  // that the first stage combines into one
constexpr Extent least_times_smaller = 16;     // than the largest operand is what it makes

EinSum const* aggregation_of(EinGraph const& graph, Node const& node) {
    auto const* einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr || einsum->aggregated().empty()) return nullptr;
    return depends_on_order(einsum->agg, types_of(graph, node).accumulate) ? einsum : nullptr;
}

Extent largest_operand(EinGraph const& graph, Node const& node) {
    Extent most = 0;
    for (ValueId input : node.inputs) most = std::max(most, element_count(graph.value(input).shape));
    return most;
}

/// The aggregated label that the first stage keeps, to be cut along: the first one that is long, else the longest.
/// Nothing where one stage will do: what it makes would be large beside what it reads.
std::optional<int> label_of_stages(EinGraph const& graph, Node const& node) {
    EinSum const* const einsum = aggregation_of(graph, node);
    if (einsum == nullptr || einsum->aggregated().size() < 2 || !node.fixed.empty()) return std::nullopt;
    Extent const outputs = element_count(einsum->output_shape()), operand = largest_operand(graph, node);
    Extent terms = 1;
    for (int label : einsum->aggregated()) terms *= einsum->extents[at(label)];
    std::optional<int> kept;
    for (int label : einsum->aggregated()) {
        Extent const extent = einsum->extents[at(label)];
        if (extent < 2 || terms / extent < least_terms_of_a_stage ||
            operand / least_times_smaller / extent < std::max<Extent>(1, outputs))
            continue;
        if (!kept || (einsum->extents[at(*kept)] < least_terms_of_a_stage && extent > einsum->extents[at(*kept)]))
            kept = label;
    }
    return kept;
}

/// Aggregates over the first axis of one operand that has this label and those of the output.
EinSum second_stage(EinSum const& whole, int label) {
    EinSum out;
    std::vector<int> axes{label};
    axes.insert(axes.end(), whole.output.begin(), whole.output.end());
    out.inputs.emplace_back();
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        out.labels.push_back(whole.labels[at(axes[axis])]);
        out.extents.push_back(whole.extents[at(axes[axis])]);
        out.inputs[0].push_back(static_cast<int>(axis));
        if (axis > 0) out.output.push_back(static_cast<int>(axis));
    }
    out.join = scalar::Expr::operand(0);
    out.agg = whole.agg;
    return out;
}

void add_stages(GraphBuilder& builder, Node node, int label) {
    auto const& whole = std::get<EinSum>(node.op);
    EinSum first = whole;
    first.output.insert(first.output.begin(), label);
    std::string const& name = builder.value(node.output).name;
    std::string const part = name == node.name ? "stage" : name.substr(node.name.size() + 1) + ":stage";
    DType const kept = scalar::register_dtype(types_of(builder.graph(), node).accumulate);
    std::int32_t const before = builder.go_to_loop(node.loop);
    ValueId const made = NodeBuilder(builder, node.name).einsum(part, std::move(first), node.inputs, kept);
    builder.append(Node{node.name, {made}, node.output, second_stage(whole, label), {}, {}, node.loop});
    builder.go_to_loop(before);
}

EinGraph in_stages(EinGraph graph) {
    std::vector<Node> nodes;
    nodes.swap(graph.nodes);
    GraphBuilder builder(std::move(graph));
    for (Node& node : nodes) {
        if (std::optional<int> const label = label_of_stages(builder.graph(), node))
            add_stages(builder, std::move(node), *label);
        else
            builder.append(std::move(node));
    }
    return builder.take();
}

}  // namespace

bool depends_on_order(scalar::Agg agg, DType accumulate) { return !scalar::info(agg).asks && !is_exact(accumulate); }

EinGraph keep_summation_order(EinGraph graph, std::string const& file) {
    graph = in_stages(std::move(graph));
    std::vector<Fault> faults;
    for (Node& node : graph.nodes) {
        EinSum const* const einsum = aggregation_of(graph, node);
        if (einsum == nullptr) continue;
        node.fixed.resize(einsum->labels.size(), 0);
        for (int label : einsum->aggregated()) {
            std::int64_t& parts = node.fixed[at(label)];
            if (parts > 1)
                faults.push_back({file, "/parts/" + node.name + "/" + einsum->labels[at(label)],
                                  "1, since --reproducible cuts no label that is aggregated", std::to_string(parts),
                                  "remove it, cut another label, or plan without --reproducible"});
            parts = 1;
        }
    }
    if (!faults.empty()) throw InputError(std::move(faults));
    verify(graph, "summation order");
    return graph;
}

Parts parts_that_stay(EinGraph const& graph, Node const& node, bool keeps_order) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr || einsum->aggregated().empty()) return {};
    if (!graph.value(node.output).listing && !(keeps_order && aggregation_of(graph, node) != nullptr)) return {};
    Parts parts(einsum->labels.size(), 0);
    for (int label : einsum->aggregated()) parts[at(label)] = 1;
    return parts;
}

}  // namespace ein::graph
