#include "lib/graph/sparse/make_dense.hpp"

#include <algorithm>
#include <map>

#include "lib/base/ids.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::graph {
namespace {

constexpr std::string_view suffix = ":dense";

class DensePass {
public:
    explicit DensePass(EinGraph graph) {
        std::vector<Node> nodes;
        nodes.swap(graph.nodes);
        builder_.emplace(std::move(graph));
        for (Node& node : nodes) keep(std::move(node));
    }

    EinGraph take() { return builder_->take(); }

private:
    void keep(Node node) {
        IdleSets const idle = idle_sets(builder_->graph(), node);
        for (std::size_t k = 0; k < node.inputs.size(); ++k)
            if (builder_->value(node.inputs[k]).listing && !idle.reads_sparse(static_cast<int>(k)))
                node.inputs[k] = dense(node.inputs[k]);
        builder_->append(std::move(node));
    }

    ValueId dense(ValueId value) {
        auto const known = dense_.find(value);
        if (known != dense_.end()) return known->second;
        Value const like = builder_->value(value);
        std::int32_t const before = builder_->go_to_loop(-1);
        ValueId const made =
            NodeBuilder(*builder_, like.name)
                .einsum(std::string(suffix.substr(1)), identity_einsum(like.shape), {value}, like.dtype);
        builder_->go_to_loop(before);
        dense_.emplace(value, made);
        return made;
    }

    std::optional<GraphBuilder> builder_;
    std::map<ValueId, ValueId> dense_;
};

bool is_made_dense(EinGraph const& graph, Node const& node) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    return einsum != nullptr && is_copy(*einsum) && graph.value(node.inputs[0]).listing &&
           !graph.value(node.output).listing &&
           graph.value(node.output).name.starts_with(graph.value(node.inputs[0]).name + std::string(suffix));
}

std::string operand_names(std::size_t operands, std::size_t k) {
    if (operands <= 3) return std::string(1, "xyz"[k]);
    return "x" + std::to_string(k);
}

}  // namespace

EinGraph make_dense_where_needed(EinGraph graph) {
    bool const all_dense = std::none_of(graph.values.begin(), graph.values.end(),
                                        [](Value const& value) { return value.listing.has_value(); });
    return all_dense ? graph : DensePass(std::move(graph)).take();
}

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

std::string why_dense(EinGraph const& graph, Node const& node, std::size_t operand) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr) return "it moves elements that are not listed too";
    scalar::Names names;
    names.operands = static_cast<int>(einsum->operands());
    names.labels = einsum->labels;
    std::string out = "its join " + scalar::print(einsum->join, names) + " is ";
    out += einsum->aggregated().empty() ? "not one value"
                                        : "not what " + std::string(scalar::name(einsum->agg)) + " begins with";
    return out + " where " + operand_names(einsum->operands(), operand) + " is not listed";
}

}  // namespace ein::graph
