// The types that a kernel passes through: operands are converted to `compute`, the join gives `join`, aggregation is
// done in `accumulate`, and the output's type is that of its block. All devices ask here.
// Example: "ij->i" of i8 with logsumexp: compute i8, join i8, accumulate f64; the sum of x > y into f32 counts in f32.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

struct KernelTypes {
    DType compute = DType::f32;
    DType weak = DType::f32;  // of a join that mentions no operand
    DType join = DType::f32;
    DType accumulate = DType::f32;
};

/// @throws InputError for a join that its operands' type does not allow
KernelTypes types_of(KernelShape const& shape);

/// Whether an operand is a sparse block.
bool is_sparse(KernelShape const& shape, std::size_t operand);

/// graph::as_row_lookup of a kernel with sparse operands: a point contributes only where its position is.
std::optional<graph::Lookup> row_lookup(KernelShape const& shape);

/// Of a kernel with sparse operands, in types.accumulate: what an element of the output is to which nothing
/// contributes. Of a lookup the fill of what it looks in; where nothing is aggregated the join of the fills, which is
/// the same whatever the dense operands and labels are there (1 and 0 are taken).
scalar::Scalar value_without_contributions(KernelShape const& shape, KernelTypes const& types,
                                           scalar::Params const& params);

/// The elements from one index of a label to the next: the sum over the axes that carry it (a diagonal has several).
std::vector<Extent> label_strides(std::vector<int> const& axes, std::vector<Extent> const& axis_strides,
                                  std::size_t labels);

/// @throws InternalError when lengths, strides and dtypes do not fit the kernel
void check(KernelShape const& shape);

}  // namespace ein::executor
