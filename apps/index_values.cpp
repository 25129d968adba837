#include "apps/index_values.hpp"

#include <map>

#include "lib/scalar/evaluate/evaluator.hpp"

namespace ein::apps {
namespace {

constexpr Extent most_elements = 1 << 20;  // that are looked at while planning

/// The node that looks up with the positions that `node` makes of indices: the user's, which lowering made both of.
struct Use {
    graph::Node const* node;
    std::int64_t extent;
};

std::string element(tensor::HostTensor const& indices, Extent k) {
    return std::to_string(indices.at(k).integer) + " at " + index_text(index_at(indices.shape(), k));
}

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
    for (graph::Node const& node : graph.nodes)
        if (auto const* einsum = std::get_if<graph::EinSum>(&node.op))
            if (auto const extent = scalar::indexed_extent(einsum->join))
                uses[node.inputs[0]].push_back({&node, *extent});
    std::vector<Fault> faults;
    for (graph::Leaf const& leaf : graph.leaves) {
        auto const used = uses.find(leaf.value);
        graph::Value const& value = graph.value(leaf.value);
        if (used == uses.end() || value.listing || element_count(value.shape) > most_elements) continue;
        auto const indices = read(leaf);
        if (!indices) continue;
        for (Use const& use : used->second) {
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
