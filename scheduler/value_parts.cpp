#include "scheduler/value_parts.hpp"

#include <algorithm>

namespace ein::scheduler {

Parts leading_parts(Shape const& shape, std::int64_t calls) {
    Parts parts;
    for (Extent extent : shape) {
        std::int64_t const here = std::clamp<std::int64_t>(calls, 1, std::max<Extent>(extent, 1));
        parts.push_back(here);
        calls /= here;
    }
    return parts;
}

namespace {

using graph::EinGraph;
using relation::Plan;

/// What a Move or Reshape makes of its input: the output's parts where the shapes have the same order, else any even cut.
Parts parts_for_movement(EinGraph const& graph, Plan const& plan, NodeId node, ValueId input) {
    Shape const& shape = graph.value(input).shape;
    if (!std::holds_alternative<graph::Move>(graph.node(node).op)) return leading_parts(shape, plan.calls);
    Parts parts = plan.node(node).parts;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        parts[axis] = std::clamp<std::int64_t>(parts[axis], 1, std::max<Extent>(shape[axis], 1));
    return parts;
}

Parts wanted_by(EinGraph const& graph, Plan const& plan, NodeId id, ValueId input) {
    graph::Node const& node = graph.node(id);
    for (std::size_t operand = 0; operand < node.inputs.size(); ++operand)
        if (node.inputs[operand] == input)
            if (auto parts = relation::input_parts(node, plan.node(id), operand)) return *parts;
    return parts_for_movement(graph, plan, id, input);
}

/// Whether cutting each of `parts` into `factor` leaves every old cut where it was.
bool refines(Extent extent, std::int64_t parts, std::int64_t factor) {
    if (parts * factor > extent) return false;
    for (std::int64_t i = 0; i <= parts; ++i)
        if (part_begin(extent, parts * factor, i * factor) != part_begin(extent, parts, i)) return false;
    return true;
}

std::vector<std::int64_t> prime_factors(std::int64_t n) {
    std::vector<std::int64_t> factors;
    for (std::int64_t d = 2; d * d <= n; ++d)
        for (; n % d == 0; n /= d) factors.push_back(d);
    if (n > 1) factors.push_back(n);
    return factors;
}

std::int64_t partials_per_block(graph::Node const& node, relation::NodePlan const& plan) {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    std::int64_t partials = 1;
    if (einsum)
        for (int label : einsum->aggregated()) partials *= plan.parts[static_cast<std::size_t>(label)];
    return partials;
}

/// Cuts `parts` further into `slices` pieces a block, first towards what the next reader wants, then along the longest axes.
Parts sliced(Shape const& shape, Parts parts, std::int64_t slices, Parts const* wanted) {
    std::vector<std::int64_t> primes = prime_factors(slices);
    auto take = [&](std::size_t axis, std::int64_t prime) {
        if (!refines(shape[axis], parts[axis], prime)) return false;
        parts[axis] *= prime;
        return true;
    };
    if (wanted)
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            std::erase_if(primes, [&](std::int64_t prime) {
                return (*wanted)[axis] % parts[axis] == 0 && ((*wanted)[axis] / parts[axis]) % prime == 0 &&
                       take(axis, prime);
            });
    for (std::size_t p = primes.size(); p > 0; --p) {
        std::vector<std::size_t> axes(shape.size());
        for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis] = axis;
        std::stable_sort(axes.begin(), axes.end(),
                         [&](std::size_t a, std::size_t b) { return shape[a] / parts[a] > shape[b] / parts[b]; });
        for (std::size_t axis : axes)
            if (take(axis, primes[p - 1])) break;
    }
    return parts;
}

}  // namespace

std::vector<Parts> value_parts(EinGraph const& graph, Plan const& plan, std::int64_t slice_bytes) {
    std::vector<Parts> out(graph.values.size());
    std::vector<bool> wanted(graph.values.size(), false);
    auto index = [](ValueId value) { return static_cast<std::size_t>(value.value()); };
    for (graph::Leaf const& leaf : graph.leaves)
        out[index(leaf.value)] = leading_parts(graph.value(leaf.value).shape, plan.calls);
    for (std::size_t n = graph.nodes.size(); n > 0; --n) {  // backwards, so that the first reader has the last word
        NodeId const id{static_cast<std::int32_t>(n) - 1};
        graph::Node const& node = graph.node(id);
        Parts& output = out[index(node.output)];
        Parts const next = output;
        output = relation::output_parts(node, plan.node(id));
        std::int64_t const partials = std::min<std::int64_t>(partials_per_block(node, plan.node(id)), plan.ranks);
        graph::Value const& value = graph.value(node.output);
        std::int64_t const block_bytes =
            element_count(value.shape) * static_cast<std::int64_t>(size_of(value.dtype)) / element_count(output);
        if (partials > 1 && block_bytes > 0 && block_bytes >= slice_bytes)
            output = sliced(value.shape, output, partials, wanted[index(node.output)] ? &next : nullptr);
        for (ValueId input : node.inputs) {
            out[index(input)] = wanted_by(graph, plan, id, input);
            wanted[index(input)] = true;
        }
    }
    return out;
}

}  // namespace ein::scheduler
