#include "executor/device/kernel/kernel_types.hpp"

#include "lib/base/error.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/graph/sparse/row_lookup.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::executor {

namespace {

bool block_fits(SparseOperand const& block, std::vector<int> const& labels, KernelShape const& shape) {
    std::size_t const order = labels.size();
    bool fits = block.lengths.size() == order && block.begin.size() == order && block.layout.axes.size() == order;
    std::vector<bool> seen(order, false);
    for (std::size_t axis = 0; fits && axis < order; ++axis) {
        auto const sorted = static_cast<std::size_t>(block.layout.axes[axis]);
        fits = sorted < order && !seen[sorted] && block.begin[axis] >= 0 &&
               block.begin[axis] + shape.lengths[static_cast<std::size_t>(labels[axis])] <= block.lengths[axis];
        if (fits) seen[sorted] = true;
    }
    return fits && (order > 0 || !block.layout.compressed);
}

bool sparse_parts_fit(KernelShape const& shape) {
    SparseOperands const& sparse = *shape.sparse;
    graph::EinSum const& einsum = shape.kernel->einsum;
    bool fits = sparse.operands.size() == einsum.operands() && !sparse.idle_sets.empty();
    for (std::size_t k = 0; fits && k < einsum.operands(); ++k)
        fits = !sparse.operands[k] || block_fits(*sparse.operands[k], einsum.inputs[k], shape);
    if (fits && sparse.output) fits = block_fits(*sparse.output, einsum.output, shape);
    for (std::vector<int> const& set : sparse.idle_sets)
        for (int k : set)
            fits = fits && k >= 0 && static_cast<std::size_t>(k) < einsum.operands() &&
                   is_sparse(shape, static_cast<std::size_t>(k));
    return fits;
}

}  // namespace

std::optional<graph::Lookup> row_lookup(KernelShape const& shape) {
    std::vector<bool> sparse;
    for (std::size_t k = 0; k < shape.operand_dtypes.size(); ++k) sparse.push_back(is_sparse(shape, k));
    return graph::as_row_lookup(shape.kernel->einsum, shape.operand_dtypes, shape.output_dtype, sparse);
}

bool is_sparse(KernelShape const& shape, std::size_t operand) {
    return shape.sparse && operand < shape.sparse->operands.size() && shape.sparse->operands[operand].has_value();
}

scalar::Scalar value_without_contributions(KernelShape const& shape, KernelTypes const& types,
                                           scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    if (auto const lookup = row_lookup(shape))
        return scalar::convert(shape.sparse->operands[static_cast<std::size_t>(lookup->data)]->fill, shape.output_dtype,
                               types.accumulate);
    if (!einsum.aggregated().empty()) return scalar::identity(einsum.agg, types.accumulate);
    std::vector<scalar::Scalar> operands;
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        operands.push_back(
            graph::has_label(shape.sparse->idle_sets.front(), static_cast<int>(k))
                ? scalar::convert(shape.sparse->operands[k]->fill, shape.operand_dtypes[k], types.compute)
                : graph::any_value(types.compute));
    std::vector<Extent> const labels(shape.lengths.size(), 0);
    scalar::Scalar const joined = scalar::evaluate(einsum.join, types.compute, types.weak, operands, labels, params);
    return scalar::convert(joined, types.join, types.accumulate);
}

KernelTypes types_of(KernelShape const& shape) {
    KernelTypes types;
    types.compute = shape.kernel->compute;
    types.weak = compute_dtype({}, shape.output_dtype);
    scalar::TypeResult const join = scalar::type_of(shape.kernel->einsum.join, types.compute, types.weak);
    if (!join.problem.empty())
        throw InputError(Fault{"", "node " + shape.kernel->node, "a join that its operands' type allows", join.problem,
                               "change the join or the dtype"});
    types.join = join.type;
    types.accumulate = graph::accumulate_type(shape.kernel->einsum, types.join, shape.output_dtype);
    return types;
}

std::vector<Extent> label_strides(std::vector<int> const& axes, std::vector<Extent> const& axis_strides,
                                  std::size_t labels) {
    std::vector<Extent> strides(labels, 0);
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        strides[static_cast<std::size_t>(axes[axis])] += axis_strides[axis];
    return strides;
}

void check(KernelShape const& shape) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    bool const sparse_output = shape.sparse && shape.sparse->output;
    bool fits = shape.lengths.size() == einsum.labels.size() && shape.operand_strides.size() == einsum.operands() &&
                shape.operand_dtypes.size() == einsum.operands() &&
                (sparse_output || shape.output_strides.size() == einsum.output.size());
    for (std::size_t k = 0; fits && k < einsum.operands(); ++k)
        fits = is_sparse(shape, k) || shape.operand_strides[k].size() == einsum.inputs[k].size();
    if (fits && shape.sparse) fits = sparse_parts_fit(shape);
    promise(fits, "the shape of a call of '" + shape.kernel->node + "' does not fit its kernel");
}

}  // namespace ein::executor
