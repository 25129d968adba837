// Joins that are one number everywhere but where a label equals an integer operand, as one_hot is and
// where([j] == y, x, 0): the number is written everywhere, then one element for each of the operand's.
// Example: "i->ij" and [j] == y with y = (2, 0) gives (0, 0, 1) and (1, 0, 0).
#pragma once

#include <memory>

#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

/// @return nothing when the kernel's join is another
std::unique_ptr<PreparedKernel const> make_mark_kernel(KernelShape const& shape, KernelTypes const& types);

}  // namespace ein::executor
