#include "scheduler/lower/outlines.hpp"

#include "lib/base/hash.hpp"

namespace ein::scheduler {
namespace {

std::uint64_t added(std::uint64_t hash, std::vector<Extent> const& list) {
    hash = mix64(hash ^ list.size());
    for (Extent number : list) hash = mix64(hash ^ static_cast<std::uint64_t>(number));
    return hash;
}

}  // namespace

std::vector<std::uint64_t> outlines_of(graph::EinGraph const& graph, relation::Plan const& plan) {
    std::vector<std::uint64_t> out;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        graph::Node const& node = graph.nodes[n];
        std::uint64_t hash = added(added(node.op.index() + 1, graph::cut_extents(graph, node)), plan.nodes[n].parts);
        for (ValueId input : node.inputs) hash = added(hash, graph.value(input).shape);
        out.push_back(hash);
    }
    return out;
}

}  // namespace ein::scheduler
