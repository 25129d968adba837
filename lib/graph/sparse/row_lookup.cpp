#include "lib/graph/sparse/row_lookup.hpp"

#include <algorithm>

#include "lib/base/ids.hpp"

namespace ein::graph {
namespace {

bool each_once(std::vector<int> labels) {
    std::sort(labels.begin(), labels.end());
    return std::adjacent_find(labels.begin(), labels.end()) == labels.end();
}

}  // namespace

std::optional<Lookup> as_row_lookup(EinSum const& einsum, std::span<DType const> inputs, DType output,
                                    std::vector<bool> const& sparse) {
    std::optional<Lookup> const lookup = as_lookup(einsum);
    if (!lookup || einsum.operands() != 2) return std::nullopt;
    std::size_t const data = at(lookup->data), positions = at(lookup->positions);
    std::vector<int> labels = einsum.inputs[data];
    labels.insert(labels.end(), einsum.inputs[positions].begin(), einsum.inputs[positions].end());
    bool const fits = each_once(labels) && labels.size() == einsum.output.size() + 1 && sparse[data] &&
                      !sparse[positions] && is_integer(inputs[positions]) && inputs[data] == output;
    return fits ? lookup : std::nullopt;
}

bool is_row_lookup(EinGraph const& graph, Node const& node) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr) return false;
    std::vector<DType> types;
    std::vector<bool> sparse;
    for (ValueId input : node.inputs) {
        types.push_back(graph.value(input).dtype);
        sparse.push_back(graph.value(input).listing.has_value());
    }
    return as_row_lookup(*einsum, types, graph.value(node.output).dtype, sparse).has_value();
}

}  // namespace ein::graph
