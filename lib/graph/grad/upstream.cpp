#include "lib/graph/grad/upstream.hpp"

#include <unordered_map>

#include "lib/graph/contract.hpp"

namespace ein::graph::grad {

/// Depth first, with a list of its own: graphs may be of any depth.
Upstream::Upstream(GraphBuilder& graph, ValueId of) : graph_(graph) {
    struct Step {
        ValueId value;
        std::size_t next_input = 0;
    };
    std::vector<Step> path;
    auto open = [&](ValueId value) {
        if (!seen_.insert(value).second || graph.producer(value) == nullptr) return;
        if (graph.is_held_constant(value)) {
            carried_.emplace_back(value, "the loop");
            return;
        }
        if (std::int32_t const loop = graph.producer(value)->loop; !graph.is_open(loop)) {
            ended_.emplace_back(value, graph.graph().loops[static_cast<std::size_t>(loop)].name);
            return;
        }
        add_contracted(graph, *graph.producer(value));
        path.push_back({value});
    };
    open(of);
    while (!path.empty()) {
        Step& step = path.back();
        auto const& inputs = graph.producer(step.value)->inputs;
        if (step.next_input < inputs.size()) {
            open(inputs[step.next_input++]);
        } else {
            order_.push_back(step.value);
            path.pop_back();
        }
    }
}

/// What a loop carries begins as its value before the loop and becomes its result.
std::string Upstream::through(ValueId value, Stops const& stops) const {
    std::unordered_multimap<ValueId, ValueId> results;
    for (Loop const& loop : graph_.graph().loops)
        for (Loop::Carry const& carry : loop.carries) results.emplace(carry.inside, carry.result);
    for (auto const& [stop, loop] : stops) {
        std::unordered_set<ValueId> behind{stop};
        std::vector<ValueId> open{stop};
        while (!open.empty()) {
            ValueId const here = open.back();
            open.pop_back();
            if (here == value && here != stop) return loop;
            auto const look_at = [&](ValueId next) {
                if (behind.insert(next).second) open.push_back(next);
            };
            auto const [first, last] = results.equal_range(here);
            for (auto each = first; each != last; ++each) look_at(each->second);
            if (Node const* const producer = graph_.producer(here))
                for (ValueId input : producer->inputs) look_at(input);
        }
    }
    return "";
}

}  // namespace ein::graph::grad
