// Kernels with sparse operands or a sparse output, on the CPU: the work is a function of what is listed.
// Example: A*x with A listing 10 elements of a large matrix costs 10 products and a pass over the output.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @param shape  checked, with `sparse`
std::unique_ptr<PreparedKernel const> make_sparse_kernel(KernelShape const& shape, scalar::Params const& params);

}  // namespace ein::executor
