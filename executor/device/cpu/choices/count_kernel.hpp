// Sums of y == [v] over what y has and the output lacks, as what they are: how often each value occurs. Threads count
// into tables of their own. Example: "i->v" with y = (2, 0, 2) of three values is (1, 0, 2).
#pragma once

#include <memory>

#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

/// @return nothing when the kernel is no count of an integer operand's values
std::unique_ptr<PreparedKernel const> make_count_kernel(KernelShape const& shape, KernelTypes const& types);

}  // namespace ein::executor
