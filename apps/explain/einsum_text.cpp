#include "apps/explain/einsum_text.hpp"

#include <algorithm>

#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::apps::explain {
namespace {

std::string listed(graph::EinSum const& einsum, std::vector<int> const& labels, std::string const& between) {
    std::string out;
    for (int label : labels) out += (out.empty() ? "" : between) + einsum.labels[static_cast<std::size_t>(label)];
    return out;
}

std::string subscripts(graph::EinSum const& einsum) {
    bool const letters =
        std::all_of(einsum.labels.begin(), einsum.labels.end(), [](std::string const& l) { return l.size() == 1; });
    std::string const between = letters ? "" : " ";
    std::string out;
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        out += (k == 0 ? "" : letters ? "," : ", ") + listed(einsum, einsum.inputs[k], between);
    return out + (letters ? "->" : " -> ") + listed(einsum, einsum.output, between);
}

std::string text_of(graph::EinGraph const& graph, graph::EinSum const& einsum) {
    std::string out = subscripts(einsum);
    if (einsum.join != scalar::product(static_cast<int>(einsum.operands()))) {
        std::vector<std::string> params;
        for (auto const& [param, unused] : graph.params) params.push_back(param);
        out += ", join " + scalar::print(einsum.join, {static_cast<int>(einsum.operands()), einsum.labels, params});
    }
    if (!einsum.aggregated().empty() && einsum.agg != scalar::Agg::sum)
        out += ", agg " + std::string(scalar::name(einsum.agg));
    return out;
}

}  // namespace

std::string operation_text(graph::EinGraph const& graph, graph::Node const& node) {
    std::string const to = to_string(graph.value(node.output).shape);
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) return text_of(graph, *einsum);
    if (std::holds_alternative<graph::Reshape>(node.op))
        return "reshape " + to_string(graph.value(node.inputs[0]).shape) + " to " + to;
    return "move " + std::to_string(node.inputs.size()) + (node.inputs.size() == 1 ? " region" : " regions") +
           " into " + to;
}

}  // namespace ein::apps::explain
