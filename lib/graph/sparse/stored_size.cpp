#include "lib/graph/sparse/stored_size.hpp"

#include <algorithm>

#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::graph {
namespace {

double places(Value const& value) { return static_cast<double>(element_count(value.shape)); }

}  // namespace

bool has_sparse(EinGraph const& graph) {
    return std::any_of(graph.values.begin(), graph.values.end(),
                       [](Value const& value) { return value.listing.has_value(); });
}

double stored_elements(Value const& value) {
    if (!value.listing) return places(value);
    auto const most = static_cast<double>(value.listing->most);
    return std::min({places(value), most, value.listing->listed.value_or(most)});
}

double stored_bytes(Value const& value) {
    if (!value.listing) return static_cast<double>(value.bytes());
    tensor::SparseLayout const layout = tensor::in_order(value.shape.size());
    auto const listed = static_cast<Extent>(stored_elements(value));
    return static_cast<double>(tensor::sparse_bytes(layout, value.shape, value.dtype, listed));
}

double elements_a_place(Value const& value) {
    if (!value.listing) return 1;
    return places(value) > 0 ? stored_elements(value) / places(value) : 0;
}

double bytes_a_place(Value const& value) {
    if (!value.listing) return static_cast<double>(size_of(value.dtype));
    return places(value) > 0 ? stored_bytes(value) / places(value) : 0;
}

double listed_share(EinGraph const& graph, Node const& node) {
    double share = 1;
    IdleSets const idle = idle_sets(graph, node);
    for (std::vector<int> const& set : idle.sets) {
        double all = 0;  // what any of the set lists
        for (int operand : set) all += elements_a_place(graph.value(node.inputs[static_cast<std::size_t>(operand)]));
        share = std::min(share, all);
    }
    return share;
}

}  // namespace ein::graph
