#include "lib/graph/factor/read_once.hpp"

namespace ein::graph {
namespace {

/// The first operand that is the same as operand k.
std::size_t first_alike(EinSum const& einsum, std::vector<ValueId> const& inputs, std::size_t k) {
    std::size_t first = 0;
    while (inputs[first] != inputs[k] || einsum.inputs[first] != einsum.inputs[k]) ++first;
    return first;
}

void merge(EinSum& einsum, std::vector<ValueId>& inputs, std::size_t kept, std::size_t gone) {
    std::vector<scalar::Expr> operands;
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        operands.push_back(scalar::Expr::operand(static_cast<int>(k == gone ? kept : k > gone ? k - 1 : k)));
    einsum.join = scalar::substitute(einsum.join, operands);
    einsum.inputs.erase(einsum.inputs.begin() + static_cast<std::ptrdiff_t>(gone));
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(gone));
}

}  // namespace

EinGraph read_once(EinGraph graph) {
    for (Node& node : graph.nodes) {
        auto* const einsum = std::get_if<EinSum>(&node.op);
        if (einsum == nullptr || node.path) continue;
        for (std::size_t k = einsum->operands(); k-- > 1;) {
            std::size_t const first = first_alike(*einsum, node.inputs, k);
            if (first < k && graph.value(node.inputs[k]).listing) merge(*einsum, node.inputs, first, k);
        }
    }
    return graph;
}

}  // namespace ein::graph
