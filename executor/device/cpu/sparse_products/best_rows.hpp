// The least or the largest of joins of a sparse matrix and a dense one: "ik,kj->ij" of x + y by min, and the like. A
// row of the output meets a row of the dense operand for each element. Sums of products are product_kernel.hpp's,
// products of two sparse operands pair_rows.hpp's.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing for any other kernel; then `otherwise` is as it was
std::unique_ptr<PreparedKernel const> make_best_rows_kernel(KernelShape const& shape, scalar::Params const& params,
                                                            std::unique_ptr<PreparedKernel const>& otherwise);

}  // namespace ein::executor
