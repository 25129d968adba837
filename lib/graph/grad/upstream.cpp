#include "lib/graph/grad/upstream.hpp"

#include "lib/graph/contract.hpp"

namespace ein::graph::grad {

/// Depth first, with a list of its own: graphs may be of any depth.
Upstream::Upstream(GraphBuilder& graph, ValueId of) {
    struct Step {
        ValueId value;
        std::size_t next_input = 0;
    };
    std::vector<Step> path;
    auto open = [&](ValueId value) {
        if (!seen_.insert(value).second || graph.producer(value) == nullptr) return;
        if (graph.is_held_constant(value)) return;
        if (std::int32_t const loop = graph.producer(value)->loop; !graph.is_open(loop)) {
            ended_loop_ = graph.graph().loops[static_cast<std::size_t>(loop)].name;
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

}  // namespace ein::graph::grad
