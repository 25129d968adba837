// Batches of products of small matrices of bf16 and f16: no panels, tasks or waves, since each product stays in the
// first-level cache. Leaves the loops to narrow_small.hpp. Example: "bij,bjk->bik" of 16,384 matrices of 16 x 16.
#pragma once

#include <memory>

#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @return nothing where matrices are large, have more than a label of rows, columns or terms, or lie otherwise than
/// with rows, columns or terms side by side
std::unique_ptr<PreparedKernel const> make_narrow_small(KernelShape const& shape, Nest const& nest,
                                                        KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
