// Joins of sparse operands that all have the output's labels: elements of sorted rows are merged, their joins computed
// in vector tiles and listed as they come. Any join of any types; dense operands may have some of the labels.
// Example: A + B lists what either lists; A * x_i lists what A lists.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing for any other kernel; then `otherwise` is as it was
std::unique_ptr<PreparedKernel const> make_merge_kernel(KernelShape const& shape, scalar::Params const& params,
                                                        std::unique_ptr<PreparedKernel const>& otherwise);

}  // namespace ein::executor
