#include "scheduler/lower/outlines.hpp"

#include "lib/base/hash.hpp"
#include "lib/scalar/expression/structure_hash.hpp"

namespace ein::scheduler {
namespace {

std::uint64_t added(std::uint64_t hash, std::vector<Extent> const& list) {
    hash = mix64(hash ^ list.size());
    for (Extent number : list) hash = mix64(hash ^ static_cast<std::uint64_t>(number));
    return hash;
}

bool same_fill(std::optional<scalar::Scalar> const& a, std::optional<scalar::Scalar> const& b) {
    return a && b ? same_bits(*a, *b) : a.has_value() == b.has_value();
}

}  // namespace

bool same_operation(graph::Node const& a, graph::Node const& b) {
    if (a.op.index() != b.op.index()) return false;
    if (auto const* einsum = std::get_if<graph::EinSum>(&a.op)) return *einsum == std::get<graph::EinSum>(b.op);
    if (auto const* move = std::get_if<graph::Move>(&a.op)) {
        auto const& other = std::get<graph::Move>(b.op);
        return move->regions == other.regions && same_fill(move->fill, other.fill);
    }
    return true;  // a Reshape: its shapes are in its state
}

std::uint64_t operation_hash(graph::Node const& node) {
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op)) return scalar::structure_hash(einsum->join);
    std::uint64_t hash = node.op.index();
    if (auto const* move = std::get_if<graph::Move>(&node.op))
        for (graph::Move::Region const& region : move->regions) {
            hash = added(added(hash, region.box.begin), region.box.length);
            for (graph::AxisMap const& axis : region.axes) hash = added(hash, {axis.start, axis.step});
        }
    return hash;
}

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
