#include "lib/graph/sparse/same_places.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/sparse/idle_sets.hpp"

namespace ein::graph {
namespace {

/// Whether the result lists only places that operands list which list only places of `known`, axis by axis.
bool stays_within(EinGraph const& graph, Node const& node, std::set<ValueId> const& known) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr || !graph.value(node.output).listing) return false;
    IdleSets const idle = idle_sets(graph, node);
    return std::any_of(idle.sets.begin(), idle.sets.end(), [&](std::vector<int> const& set) {
        return std::all_of(set.begin(), set.end(), [&](int operand) {
            auto const k = static_cast<std::size_t>(operand);
            return einsum->inputs[k] == einsum->output && known.contains(node.inputs[k]);
        });
    });
}

}  // namespace

std::vector<ValueId> carried_elsewhere(EinGraph const& graph) {
    std::vector<ValueId> out;
    for (Loop const& loop : graph.loops)
        for (Loop::Carry const& carry : loop.carries) {
            if (!graph.value(carry.inside).listing) continue;
            std::set<ValueId> known{carry.inside};
            for (Node const& node : graph.nodes)
                if (stays_within(graph, node, known)) known.insert(node.output);
            if (!known.contains(carry.result)) out.push_back(carry.inside);
        }
    return out;
}

}  // namespace ein::graph
