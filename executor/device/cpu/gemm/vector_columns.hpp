// Products of a vector and a matrix whose columns lie side by side: "i,ij->j", "ij,i->j", "bi,bij->bj", several labels
// of each kind, real and complex, halves and f32 read in their own type. Rows are added, each times its number of the
// vector, to sums that stay in the cache: the matrix is read once, as it lies. Leaves terms that lie side by side to
// vector_product.hpp.
#pragma once

#include <memory>

#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @param nest  of the shape, simplified  @return nothing for any other kernel
std::unique_ptr<PreparedKernel const> make_columns_kernel(KernelShape const& shape, Nest const& nest,
                                                          KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
