#include <algorithm>
#include <cstdio>

#include "lib/base/error.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/contract/network.hpp"
#include "lib/graph/contract/sliced.hpp"
#include "lib/graph/contract/steps.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;

/// The type that results on the way are kept in, or nothing when the node must stay one: an ordered aggregation of real
/// functions of complex operands would meet its own results as complex numbers, which have no order.
std::optional<DType> result_dtype(EinSum const& einsum, std::vector<DType> const& inputs, DType output) {
    DType const compute = compute_type(einsum.join, inputs, output);
    if (scalar::info(einsum.agg).ordered && is_complex(compute)) return std::nullopt;
    return promote(compute, types_of(einsum, inputs, output).accumulate);
}

/// Work of a step or of the whole. A sparse operand leaves little of it; then it is a multiply-add a listed element,
/// however many operands there are: what they share along the operand's fibres is multiplied once a fibre.
double work(EinSum const& einsum, bool reads_sparse) {
    if (!reads_sparse) return flops(einsum, einsum.extents);
    double points = tuning::assumed_density;
    for (Extent extent : einsum.extents) points *= static_cast<double>(extent);
    return 2 * points;
}

/// @param sparse  the operands of the whole that are
double total_work(std::vector<ContractionStep> const& steps, std::vector<bool> const& sparse) {
    double total = 0;
    for (ContractionStep const& step : steps)
        total += work(step.einsum, std::any_of(step.operands.begin(), step.operands.end(), [&](int operand) {
                          return at(operand) < sparse.size() && sparse[at(operand)];
                      }));
    return total;
}

bool fit(std::vector<ContractionStep> const& steps, DType dtype) {
    return std::all_of(steps.begin(), steps.end(),
                       [&](ContractionStep const& step) { return fits(step.einsum.output_shape(), dtype); });
}

/// One pass over all operands would take longer than any order does: nobody waits for that either.
[[noreturn]] void refuse(EinSum const& einsum, SsaPath const& order, std::string const& value) {
    Network const network = network_of(einsum);
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, "%.3g operations with an intermediate of %.3g elements",
                  path_operations(network, order), largest_result(network, order));
    throw MemoryError("the product '" + value + "' of " + std::to_string(einsum.operands()) +
                      " operands: expected intermediates that a machine can hold, found that its order takes " +
                      numbers +
                      "; plan it with einplan, which slices labels (--memory says how far), or give a better "
                      "\"path\"");
}

/// The steps that a node becomes; empty when it stays as it is.
std::vector<ContractionStep> steps_for(EinSum const& einsum, std::optional<Path> const& path, DType dtype,
                                       std::vector<bool> const& sparse, std::string const& value) {
    std::size_t const operands = einsum.operands();
    auto const chain = operands < 2 ? std::nullopt : as_chain(einsum);
    if (!chain) return {};
    if (chain->op == scalar::Op::add && kind(dtype) <= Kind::integer)
        return {};  // sums that wrap have no order to keep
    SsaPath const order = path && operands > 2 ? to_ssa(*path, operands) : good_path(network_of(einsum));
    std::vector<ContractionStep> steps = contraction_steps(einsum, *chain, order);
    if (!fit(steps, dtype)) {
        if (std::find(einsum.extents.begin(), einsum.extents.end(), Extent{0}) != einsum.extents.end()) return {};
        refuse(einsum, order, value);
    }
    bool const reads_sparse = std::find(sparse.begin(), sparse.end(), true) != sparse.end();
    bool const wanted = (operands > tuning::most_in_one_pass && !reads_sparse) || (path && operands > 2);
    bool const cheaper = total_work(steps, sparse) < work(einsum, reads_sparse);
    return wanted || cheaper ? steps : std::vector<ContractionStep>{};
}

/// Those that decide where a kernel for all operands at once is computed.
std::vector<bool> sparse_operands(GraphBuilder const& builder, Node const& node) {
    std::vector<bool> out(node.inputs.size(), false);
    bool const all_dense = std::none_of(node.inputs.begin(), node.inputs.end(),
                                        [&](ValueId input) { return builder.value(input).listing.has_value(); });
    if (all_dense) return out;
    IdleSets const idle = idle_sets(builder.graph(), node);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = idle.decides(static_cast<int>(k));
    return out;
}

/// What the graph file fixes of a node, for the labels that one of its steps has.
Parts fixed_of(EinSum const& step, Node const& node) {
    if (node.fixed.empty()) return {};
    EinSum const& whole = std::get<EinSum>(node.op);
    Parts fixed;
    for (std::string const& label : step.labels) {
        auto const at = std::find(whole.labels.begin(), whole.labels.end(), label) - whole.labels.begin();
        fixed.push_back(node.fixed[static_cast<std::size_t>(at)]);
    }
    return fixed;
}

/// Whether it takes no longer in f64 than reading its operand does.
bool is_light(scalar::Expr const& expr) {
    using scalar::Op;
    bool const light = expr.op() == Op::neg || expr.op() == Op::abs || expr.op() == Op::conj;
    return expr.op() == Op::operand || (light && is_light(expr.args()[0]));
}

/// The type that the result of a step is kept in. A label that one operand has alone is summed before the terms are
/// made, and such a sum may leave the range of f32 where that of the terms does not: it is kept in f64 where a step
/// reads it that aggregates nothing, and so takes as long as memory does.
DType step_dtype(std::vector<ContractionStep> const& steps, std::size_t k, std::size_t operands, DType dtype) {
    EinSum const& einsum = steps[k].einsum;
    bool const is_lone_sum = einsum.operands() == 1 && einsum.agg == Agg::sum && is_light(einsum.join);
    if (!is_lone_sum || (dtype != DType::f32 && dtype != DType::c64)) return dtype;
    int const number = static_cast<int>(operands + k);
    auto const reader = std::find_if(steps.begin(), steps.end(), [&](ContractionStep const& step) {
        return std::find(step.operands.begin(), step.operands.end(), number) != step.operands.end();
    });
    if (!reader->einsum.aggregated().empty()) return dtype;
    return dtype == DType::f32 ? DType::f64 : DType::c128;
}

void add_steps(GraphBuilder& builder, Node const& node, std::vector<ContractionStep> steps, DType dtype) {
    NodeBuilder parts(builder, node.name);
    std::vector<ValueId> values = node.inputs;
    std::string const base = builder.value(node.output).name == node.name
                                 ? ""
                                 : builder.value(node.output).name.substr(node.name.size() + 1) + ":";
    for (std::size_t k = 0; k < steps.size(); ++k) {
        std::vector<ValueId> inputs;
        for (int operand : steps[k].operands) inputs.push_back(values[static_cast<std::size_t>(operand)]);
        Parts fixed = fixed_of(steps[k].einsum, node);
        if (k + 1 == steps.size()) {
            builder.append(Node{node.name,
                                std::move(inputs),
                                node.output,
                                std::move(steps[k].einsum),
                                {},
                                std::move(fixed),
                                node.loop});
            builder.set_storage(node.output, node.storage, node.storage_at);
            return;
        }
        DType const kept = step_dtype(steps, k, node.inputs.size(), dtype);
        values.push_back(parts.einsum(base + std::to_string(k + 1), std::move(steps[k].einsum), std::move(inputs), kept,
                                      {}, std::move(fixed)));
    }
}

}  // namespace

void add_contracted(GraphBuilder& builder, Node node) {
    std::optional<Path> path;
    path.swap(node.path);
    auto const* einsum = std::get_if<EinSum>(&node.op);
    if (einsum && !einsum->compute) {  // a type of its own belongs to the join as it is written
        std::vector<DType> dtypes;
        for (ValueId input : node.inputs) dtypes.push_back(builder.value(input).dtype);
        if (auto const dtype = result_dtype(*einsum, dtypes, builder.value(node.output).dtype)) {
            if (node.slicing && node.slicing->at_once > 0) {
                std::size_t const operands = einsum->operands();
                add_sliced(builder, node, as_chain(*einsum).value(), to_ssa(path.value(), operands), *dtype);
                return;
            }
            std::vector<ContractionStep> steps =
                steps_for(*einsum, path, *dtype, sparse_operands(builder, node), builder.value(node.output).name);
            if (!steps.empty()) {
                std::int32_t const before = builder.go_to_loop(node.loop);
                add_steps(builder, node, std::move(steps), *dtype);
                builder.go_to_loop(before);
                return;
            }
        }
    }
    builder.append(std::move(node));
}

EinGraph lower_contractions(EinGraph graph) {
    std::vector<Node> nodes;
    nodes.swap(graph.nodes);
    GraphBuilder builder(std::move(graph));
    for (Node& node : nodes) add_contracted(builder, std::move(node));
    return builder.take();
}

}  // namespace ein::graph
