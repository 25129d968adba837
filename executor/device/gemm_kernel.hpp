// Sums of products of two operands as calls of OpenBLAS, and the like over other operations (shortest paths, distances) as calls of
// pair_product: which of an EinSum's labels are rows, columns and contracted, which operands it takes where they lie and which are packed
// first, and how calls are cut into pieces for threads.
#pragma once

#include <memory>

#include "executor/device/kernel_types.hpp"
#include "executor/device/nest.hpp"

namespace ein::executor {

/// @param nest  simplified, with every length at least 1
/// @return nothing when the join is no such product of two operands, or the sum is better done by loops
std::unique_ptr<PreparedKernel const> make_gemm_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types, scalar::Params const& params);

/// Threads come from the Team: OpenBLAS is told to use one, for good.
void use_one_blas_thread();

}  // namespace ein::executor
