#include "apps/index_values.hpp"

#include <map>

#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::apps {
namespace {

constexpr Extent most_elements = 1 << 20;  // that are looked at while planning

std::string element(tensor::HostTensor const& indices, Extent k) {
    return std::to_string(indices.at(k).integer) + " at " + index_text(index_at(indices.shape(), k));
}

/// How many positions a one_hot has, or an einsum like it: the output's last label is compared with the one input.
std::optional<Extent> compared_positions(graph::EinSum const& einsum) {
    scalar::Expr const& join = einsum.join;
    if (einsum.operands() != 1 || !einsum.aggregated().empty() || join.op() != scalar::Op::eq) return std::nullopt;
    scalar::Expr const &element = join.args()[0], &position = join.args()[1];
    if (element.op() != scalar::Op::operand || position.op() != scalar::Op::index) return std::nullopt;
    return einsum.extents[static_cast<std::size_t>(position.node().slot)];
}

/// Elements that are compared with positions from 0 on and are equal to none of them: hardly meant, and no fault.
void note_beyond(std::string const& tensor, std::string const& node, Extent positions,
                 tensor::HostTensor const& indices, std::vector<std::string>& notes) {
    Extent beyond = 0, first = 0;
    for (Extent k = element_count(indices.shape()); k-- > 0;)
        if (std::int64_t const label = indices.at(k).integer; label < 0 || label >= positions) ++beyond, first = k;
    if (beyond == 0) return;
    notes.push_back("node '" + node + "' has no 1 for " + element(indices, first) + " of '" + tensor + "'" +
                    (beyond > 1 ? " and " + std::to_string(beyond - 1) + " more" : "") + ": its positions are 0 to " +
                    std::to_string(positions - 1) + "; count labels from 0, or raise \"depth\"");
}

/// Whether the output has the integers of the one input, in their order.
bool keeps_elements(graph::EinGraph const& graph, graph::Node const& node) {
    if (node.inputs.size() != 1 || node.loop >= 0 || !is_integer(graph.value(node.output).dtype) ||
        !is_integer(graph.value(node.inputs[0]).dtype))
        return false;
    auto const* const einsum = std::get_if<graph::EinSum>(&node.op);
    return einsum != nullptr ? graph::is_copy(*einsum) : std::holds_alternative<graph::Reshape>(node.op);
}

/// The node that looks up with the positions that `node` makes of indices: the user's, which lowering made both of.
struct Use {
    graph::Node const* node;
    std::int64_t extent;
    bool compares;  // as one_hot does, in place of looking up
};

Fault fault_of(std::string const& file, std::string const& tensor, Use const& use, tensor::HostTensor const& indices,
               scalar::IndexCounts const& found) {
    std::string const extent = std::to_string(use.extent);
    return {file, "/tensors/" + tensor,
            "indices from -" + extent + " to " + std::to_string(use.extent - 1) + ", since node '" + use.node->name +
                "' looks them up in " + extent + " elements",
            element(indices, found.first_wrong) +
                (found.wrong > 1 ? " and " + std::to_string(found.wrong - 1) + " more" : ""),
            "correct the tensor, or what it is looked up in: indices count from 0, negative ones from the end"};
}

}  // namespace

std::vector<Fault> index_faults(graph::EinGraph const& graph, std::string const& file, ReadLeaf const& read,
                                std::vector<std::string>& notes) {
    std::map<ValueId, std::vector<Use>> uses;
    std::map<ValueId, ValueId> same_elements;  // of a value that has those of another, under another shape or type
    auto const origin_of = [&](ValueId value) {
        auto const found = same_elements.find(value);
        return found == same_elements.end() ? value : found->second;
    };
    for (graph::Node const& node : graph.nodes) {
        auto const* const einsum = std::get_if<graph::EinSum>(&node.op);
        if (keeps_elements(graph, node)) same_elements.emplace(node.output, origin_of(node.inputs[0]));
        if (einsum == nullptr || node.inputs.empty()) continue;
        for (auto const& [operand, extent] : scalar::indexed_operands(einsum->join))
            uses[origin_of(node.inputs[at(operand)])].push_back({&node, extent, false});
        ValueId const compared = origin_of(node.inputs[0]);
        if (auto const positions = compared_positions(*einsum); positions && is_integer(graph.value(compared).dtype))
            uses[compared].push_back({&node, *positions, true});
    }
    std::vector<Fault> faults;
    for (graph::Leaf const& leaf : graph.leaves) {
        auto const used = uses.find(leaf.value);
        graph::Value const& value = graph.value(leaf.value);
        if (used == uses.end() || value.listing || element_count(value.shape) > most_elements) continue;
        auto const indices = read(leaf);
        if (!indices) continue;
        for (Use const& use : used->second) {
            if (use.compares) {
                note_beyond(value.name, use.node->name, use.extent, *indices, notes);
                continue;
            }
            auto const found = scalar::count_indices(element_count(indices->shape()), use.extent,
                                                     [&](Extent k) { return indices->at(k).integer; });
            if (found.wrong > 0) faults.push_back(fault_of(file, value.name, use, *indices, found));
            if (found.wrong == 0 && found.negative > 0)
                notes.push_back("'" + value.name + "' has negative indices (" +
                                element(*indices, found.first_negative) + "), which count from the end of what '" +
                                use.node->name + "' looks up");
        }
    }
    return faults;
}

}  // namespace ein::apps
