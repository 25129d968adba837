#include "lib/graph/sparse/make_dense.hpp"

#include <algorithm>

#include "lib/base/ids.hpp"
#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/graph/sparse/moved.hpp"
#include "lib/graph/sparse/row_lookup.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::graph {
namespace {

bool is_made_dense(EinGraph const& graph, Node const& node) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    return einsum != nullptr && is_copy(*einsum) && graph.value(node.inputs[0]).listing &&
           !graph.value(node.output).listing &&
           graph.value(node.output).name.starts_with(graph.value(node.inputs[0]).name + ":dense");
}

std::string operand_names(std::size_t operands, std::size_t k) {
    if (operands <= 3) return std::string(1, "xyz"[k]);
    return "x" + std::to_string(k);
}

}  // namespace

std::vector<MadeDense> made_dense(EinGraph const& graph) {
    auto const consumers = graph.consumers();
    std::vector<MadeDense> out;
    for (Node const& node : graph.nodes) {
        if (!is_made_dense(graph, node)) continue;
        bool const is_output =
            std::find(graph.outputs.begin(), graph.outputs.end(), node.output) != graph.outputs.end();
        out.push_back({node.inputs[0], node.output, consumers[at(node.output)], is_output});
    }
    return out;
}

ValueId sparse_original(EinGraph const& graph, ValueId value) {
    if (graph.value(value).listing) return value;
    for (Node const& node : graph.nodes)
        if (node.output == value) return is_made_dense(graph, node) ? node.inputs[0] : value;
    return value;
}

namespace {

/// Of what a loop carries; empty: it carries nothing of the node's, or it is sparse.
std::string why_carried_dense(EinGraph const& graph, Node const& node) {
    for (Loop const& loop : graph.loops)
        for (Loop::Carry const& carry : loop.carries) {
            if (node.output != carry.inside && node.output != carry.result) continue;
            auto const read = [&](ValueId by) {
                for (Node const& each : graph.nodes)
                    if (each.output == by) return graph.value(sparse_original(graph, each.inputs.at(0)));
                return graph.value(by);
            };
            Value const begins = read(carry.inside), ends = read(carry.result);
            std::string const loop_text = "loop '" + loop.name + "' carries it, and ";
            if (!begins.listing) return loop_text + "begins with '" + begins.name + "', which is dense";
            if (!ends.listing) return loop_text + "ends iterations with '" + ends.name + "', which is dense";
            return loop_text + "begins with another fill than it ends iterations with";
        }
    return "";
}

/// Whether a node looks up what a sparse tensor holds in the end: its operand is dense only as the result is.
bool is_lookup_of(EinGraph const& graph, Node const& node, std::size_t operand) {
    auto const& einsum = std::get<EinSum>(node.op);
    std::vector<DType> types;
    std::vector<bool> sparse;
    for (ValueId input : node.inputs) {
        types.push_back(graph.value(input).dtype);
        sparse.push_back(graph.value(sparse_original(graph, input)).listing.has_value());
    }
    auto const lookup = as_row_lookup(einsum, types, graph.value(node.output).dtype, sparse);
    return lookup && static_cast<std::size_t>(lookup->data) == operand;
}

/// Of a node that others decide about; empty: none does.
std::string why_not_looked_up(EinGraph const& graph, Node const& node, std::size_t operand) {
    auto const& einsum = std::get<EinSum>(node.op);
    Node as_read = node;
    for (ValueId& input : as_read.inputs) input = sparse_original(graph, input);
    IdleSets const idle = idle_sets(graph, as_read);
    if (idle.sets.empty() || idle.decides(static_cast<int>(operand))) return "";
    std::optional<int> const label = label_not_listed(einsum, idle.sets, operand);
    if (!label) return "its join asks for positions";
    std::string deciding;
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        if (idle.decides(static_cast<int>(k)))
            deciding += (deciding.empty() ? "" : " and ") + operand_names(einsum.operands(), k);
    return "where to look " + operand_names(einsum.operands(), operand) + " up along '" + einsum.labels[at(*label)] +
           "' is not what " + deciding + " lists";
}

}  // namespace

std::string why_dense(EinGraph const& graph, Node const& node, std::size_t operand) {
    if (std::string carried = why_carried_dense(graph, node); !carried.empty()) return carried;
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    std::string const kept_dense =
        node.storage == StorageWish::dense ? "it asks for a dense result" : "its result takes less room dense";
    if (einsum == nullptr) {
        std::string problem = why_moved_dense(graph, node);
        return problem.empty() ? kept_dense : problem;
    }
    if (is_lookup_of(graph, node, operand)) return kept_dense;
    if (std::string nowhere = why_not_looked_up(graph, node, operand); !nowhere.empty()) return nowhere;
    scalar::Names names;
    names.operands = static_cast<int>(einsum->operands());
    names.labels = einsum->labels;
    std::string out = "its join " + scalar::print(einsum->join, names) + " is ";
    out += einsum->aggregated().empty() ? "not one value"
                                        : "not what " + std::string(scalar::name(einsum->agg)) + " begins with";
    return out + " where " + operand_names(einsum->operands(), operand) + " is not listed";
}

std::string why_made_dense(EinGraph const& graph, MadeDense const& made) {
    if (made.readers.empty()) return "";
    Node const& reader = graph.node(made.readers.front());
    auto const operand = std::find(reader.inputs.begin(), reader.inputs.end(), made.dense) - reader.inputs.begin();
    std::string out = "for node '" + reader.name + "': " + why_dense(graph, reader, static_cast<std::size_t>(operand));
    std::size_t const others = made.readers.size() - 1;
    if (others == 0) return out;
    return out + "; " + std::to_string(others) + (others == 1 ? " more node reads it" : " more nodes read it");
}

}  // namespace ein::graph
