// Products of two operands as calls of pair_product, or of OpenBLAS where that has none: what is brought to the calls'
// type first, the calls for each iteration of the batch labels, and their pieces for threads. Leaves which labels are
// rows, columns and terms to gemm_plan.hpp, and how a product is cut to gemm_grid.hpp.
#pragma once

#include <memory>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @param nest  simplified, with every length at least 1
/// @return nothing when the join is no such product of two operands, or the sum is better done by loops
std::unique_ptr<PreparedKernel const> make_gemm_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types, scalar::Params const& params);

/// The same where each lane of a vector is best a product of a batch (pair_lanes.hpp).
/// @param nest  that keeps no order
/// @return nothing where it is not, as of a batch that fills no vector
std::unique_ptr<PreparedKernel const> make_lanes_kernel(KernelShape const& shape, Nest const& nest,
                                                        KernelTypes const& types, scalar::Params const& params);

/// Threads come from the WorkerTeam: OpenBLAS is told to use one, for good.
void use_one_blas_thread();

}  // namespace ein::executor
