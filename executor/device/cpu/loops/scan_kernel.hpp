// Aggregations over a prefix or a suffix as scans: each term is read once, not once an output. Leaves every other
// region to the loops, which are clipped. Sums of reals lose nothing to rounding on the way (f32 in f64, f64 with what
// rounding drops). Example: "jc->ic" with where([j] <= [i], x, 0) are the prefix sums of the columns of x.
#pragma once

#include <memory>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @param nest  simplified  @return nothing for what is no scan
std::unique_ptr<PreparedKernel const> make_scan_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types);

}  // namespace ein::executor
