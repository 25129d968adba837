// Products of a matrix and a vector whose terms lie side by side in the matrix: "ij,j->i", "bij,bj->bi", several labels
// of each kind, real and complex, halves and f32 read in their own type. The matrix is read once, as it lies, as fast
// as memory gives it. Leaves other orders to loops, and what must keep the order of a whole node to gemm_kernel.hpp.
#pragma once

#include <memory>

#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// A matrix times a vector, as rows here or as columns (vector_columns.hpp).
/// @param nest  of the shape, simplified  @return nothing for any other kernel
std::unique_ptr<PreparedKernel const> make_vector_kernel(KernelShape const& shape, Nest const& nest,
                                                         KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
