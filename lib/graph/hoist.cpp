#include "lib/graph/hoist.hpp"

#include <algorithm>
#include <unordered_set>

namespace ein::graph {
namespace {}  // namespace

void hoist(EinGraph& graph) {
    if (graph.loops.empty()) return;
    std::unordered_set<ValueId> stay;
    for (Loop const& loop : graph.loops) {
        if (loop.condition) stay.insert(*loop.condition);
        for (Loop::Carry const& carry : loop.carries) {
            stay.insert(carry.inside);  // a loop within another begins anew in each of its iterations
            stay.insert(carry.result);
        }
    }
    std::vector<std::int32_t> changes = graph.loops_of_values();
    auto const changes_in = [&](std::int32_t loop, ValueId value) {
        auto const around = graph.loops_around(changes[at(value)]);
        return std::find(around.begin(), around.end(), loop) != around.end();
    };
    bool moved = true;
    while (moved) {  // once more than nodes are out of order
        moved = false;
        for (Node& node : graph.nodes) {
            if (node.loop < 0 || stay.contains(node.output)) continue;
            bool const same = std::none_of(node.inputs.begin(), node.inputs.end(),
                                           [&](ValueId input) { return changes_in(node.loop, input); });
            if (!same) continue;
            std::int32_t const before = node.loop;
            node.loop = graph.loops[static_cast<std::size_t>(node.loop)].outer;
            if (changes[at(node.output)] == before) changes[at(node.output)] = node.loop;
            moved = true;
        }
    }
}

}  // namespace ein::graph
