// The reference of kernels with sparse operands or a sparse output: every point of the labels, one at a time, whether
// it contributes or not. Slow and simple: what other kernels are tested against.
// Example: of A*x with A listing (1, 2) alone, point (1, 2) contributes and no other does.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @param shape  checked, with `sparse`
std::unique_ptr<PreparedKernel const> make_sparse_reference(KernelShape const& shape, scalar::Params const& params);

}  // namespace ein::executor
