#include "executor/device/kernel/kernel_types.hpp"

#include "lib/base/error.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::executor {

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
    bool fits = shape.lengths.size() == einsum.labels.size() && shape.operand_strides.size() == einsum.operands() &&
                shape.operand_dtypes.size() == einsum.operands() && shape.output_strides.size() == einsum.output.size();
    for (std::size_t k = 0; fits && k < einsum.operands(); ++k)
        fits = shape.operand_strides[k].size() == einsum.inputs[k].size();
    promise(fits, "the shape of a call of '" + shape.kernel->node + "' does not fit its kernel");
}

}  // namespace ein::executor
