// Parts of a join that stay the same along a label of the output, where they take long: each is computed first, once,
// and the join reads it as one more operand. The same bits: a part keeps the compute type, and ends in an operation
// that rounds by itself. Example: of x*rsqrt(y/64 + eps) over "ij,i->ij" the part rsqrt(y/64 + eps) over "i->i".
#pragma once

#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

/// @param plain  any kernel
/// @return nothing for kernels without such parts, and for those that aggregate
std::unique_ptr<PreparedKernel const> make_kernel_of_parts(KernelShape const& shape, KernelTypes const& types,
                                                           PrepareKernel const& plain);

}  // namespace ein::executor
