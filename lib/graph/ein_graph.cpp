#include "lib/graph/ein_graph.hpp"

#include "lib/base/error.hpp"
#include "lib/base/saturating.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph {
namespace {

NodeId node_id(std::size_t k) { return NodeId{static_cast<std::int32_t>(k)}; }

/// An operand as it is, or cast.
bool is_conversion(scalar::Expr const& join) {
    scalar::Expr const* at = &join;
    while (at->op() == scalar::Op::cast) at = &at->args().front();
    return at->op() == scalar::Op::operand;
}

}  // namespace

std::vector<std::optional<NodeId>> EinGraph::producers() const {
    std::vector<std::optional<NodeId>> producer(values.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) producer[at(nodes[k].output)] = node_id(k);
    return producer;
}

std::vector<std::vector<NodeId>> EinGraph::consumers() const {
    std::vector<std::vector<NodeId>> readers(values.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        for (ValueId input : nodes[k].inputs) {
            auto& list = readers[at(input)];
            if (list.empty() || list.back() != node_id(k)) list.push_back(node_id(k));
        }
    }
    return readers;
}

std::vector<std::int32_t> EinGraph::loops_around(std::int32_t loop) const {
    std::vector<std::int32_t> out;
    for (; loop >= 0; loop = loops[static_cast<std::size_t>(loop)].outer) out.push_back(loop);
    return out;
}

std::int32_t EinGraph::loop_within(std::int32_t outer, std::int32_t loop) const {
    while (loop >= 0 && loop != outer && loops[static_cast<std::size_t>(loop)].outer != outer)
        loop = loops[static_cast<std::size_t>(loop)].outer;
    return loop == outer ? -1 : loop;
}

std::int64_t EinGraph::iterations(std::int32_t loop) const {
    std::int64_t out = 1;
    for (std::int32_t around : loops_around(loop))
        out = saturating_product(out, loops[static_cast<std::size_t>(around)].iterations);
    return out;
}

std::vector<std::int64_t> EinGraph::iterations_of_values() const {
    std::vector<std::int64_t> out;
    for (std::int32_t loop : loops_of_values()) out.push_back(iterations(loop));
    return out;
}

std::vector<std::int32_t> EinGraph::loops_of_values() const {
    std::vector<std::int32_t> out(values.size(), -1);
    for (Node const& node : nodes) out[static_cast<std::size_t>(node.output.value())] = node.loop;
    for (std::size_t l = 0; l < loops.size(); ++l)
        for (Loop::Carry const& carry : loops[l].carries) {
            out[static_cast<std::size_t>(carry.inside.value())] = static_cast<std::int32_t>(l);
            out[static_cast<std::size_t>(carry.result.value())] = loops[l].outer;
        }
    return out;
}

Shape const& cut_extents(EinGraph const& graph, Node const& node) {
    auto const* einsum = std::get_if<EinSum>(&node.op);
    return einsum ? einsum->extents : graph.value(node.output).shape;
}

std::string cut_name(Node const& node, std::size_t k) {
    auto const* einsum = std::get_if<EinSum>(&node.op);
    return einsum ? einsum->labels.at(k) : std::to_string(k);
}

DType accumulate_type(EinSum const& einsum, DType join, DType output) {
    bool const counts = scalar::info(einsum.agg).rounds;
    bool const exact = kind(join) == Kind::boolean || kind(join) == Kind::integer;
    bool const wider = kind(output) > kind(join);
    bool const rounds_once = join == DType::i64 && einsum.aggregated().empty();
    bool const in_output = counts && exact && wider && !rounds_once;
    return scalar::accumulate_dtype(einsum.agg, in_output ? promote(join, compute_dtype({}, output)) : join);
}

DType compute_type(scalar::Expr const& join, std::span<DType const> inputs, DType output) {
    DType const widest = compute_dtype(inputs, output);
    bool const whole = !inputs.empty() && common_dtype(inputs) == DType::i64;
    if (whole && kind(output) > Kind::integer && is_conversion(join)) return DType::i64;
    bool const real_operands = !inputs.empty() && !is_complex(common_dtype(inputs));
    if (!is_complex(widest) || !real_operands ||
        scalar::type_of(join, widest, compute_dtype({}, output)).problem.empty())
        return widest;
    return compute_dtype(inputs, widest == DType::c64 ? DType::f32 : DType::f64);
}

EinSumTypes types_of(EinGraph const& graph, Node const& node) {
    promise(std::holds_alternative<EinSum>(node.op), "types_of a node that is no EinSum");
    auto const& einsum = std::get<EinSum>(node.op);
    std::vector<DType> inputs;
    for (ValueId input : node.inputs) inputs.push_back(graph.value(input).dtype);
    return types_of(einsum, inputs, graph.value(node.output).dtype);
}

EinSumTypes types_of(EinSum const& einsum, std::span<DType const> inputs, DType output) {
    DType const compute = einsum.compute.value_or(compute_type(einsum.join, inputs, output));
    scalar::TypeResult const join = scalar::type_of(einsum.join, compute, compute_dtype({}, output));
    promise(join.problem.empty(), "an EinSum of a verified graph has no type: " + join.problem);
    return {compute, accumulate_type(einsum, join.type, output)};
}

}  // namespace ein::graph
