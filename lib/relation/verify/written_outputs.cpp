#include "lib/relation/verify/written_outputs.hpp"

namespace ein::relation {
namespace {

/// Whether a node may read what was written instead of `value`: not within the loop whose iterations change it.
bool may_read(graph::EinGraph const& graph, graph::Node const& reader, std::int32_t loop_of_value) {
    std::int32_t const outermost = graph.loop_within(-1, loop_of_value);
    return outermost < 0 || graph.loop_within(-1, reader.loop) != outermost;
}

/// By value whether `target` needs it; what a loop carries needs what the next iteration begins with.
std::vector<bool> needed_for(graph::EinGraph const& graph, ValueId target) {
    std::vector<bool> needed(graph.values.size(), false);
    needed[at(target)] = true;
    for (bool more = true; more;) {
        for (std::size_t k = graph.nodes.size(); k-- > 0;)
            if (needed[at(graph.nodes[k].output)])
                for (ValueId input : graph.nodes[k].inputs) needed[at(input)] = true;
        more = false;
        for (graph::Loop const& loop : graph.loops)
            for (graph::Loop::Carry const& carry : loop.carries)
                if (needed[at(carry.inside)] && !needed[at(carry.result)]) needed[at(carry.result)] = more = true;
    }
    return needed;
}

}  // namespace

std::optional<FromOutputs> from_written_outputs(graph::EinGraph const& graph, ValueId target) {
    auto const producers = graph.producers();
    FromOutputs out{graph};
    std::vector<std::optional<ValueId>> copy_of(graph.values.size());  // the leaf that stands for an output
    for (ValueId output : graph.outputs) {
        if (output == target || !producers[at(output)]) continue;
        graph::Value const& value = graph.value(output);
        copy_of[at(output)] = ValueId{static_cast<std::int32_t>(out.graph.values.size())};
        out.graph.values.push_back(value);
        out.graph.leaves.push_back({*copy_of[at(output)], tensor::MissingSource{}});
    }
    for (graph::Node& node : out.graph.nodes)
        for (ValueId& input : node.inputs)
            if (copy_of[at(input)] && may_read(graph, node, graph.node(*producers[at(input)]).loop))
                input = *copy_of[at(input)];
    std::vector<bool> const needed = needed_for(out.graph, target);
    for (ValueId output : graph.outputs)
        if (copy_of[at(output)] && needed[at(*copy_of[at(output)])]) out.read.push_back(graph.value(output).name);
    if (out.read.empty()) return std::nullopt;
    return out;
}

}  // namespace ein::relation
