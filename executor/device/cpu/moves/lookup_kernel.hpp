// Sums over v of where(y == [v], x, 0) as what they are: rows of x copied from where y points (see graph::as_lookup).
// A position outside the block of x that this call reads gives 0: another block has it.
// Example: "vd,i->id" with y = (2, 0) copies rows 2 and 0 of x.
#pragma once

#include <memory>

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing when the kernel is no lookup by an integer operand, or aggregates more than the positions' label
std::unique_ptr<PreparedKernel const> make_lookup_kernel(KernelShape const& shape);

}  // namespace ein::executor
