// Sums in which a condition makes most terms 0, as what they are where the other factors are finite: products with a
// masked operand (graph::as_masked_product), lookups and scatters (graph::as_indicator_product), counts
// (graph::as_count). The one place that chooses among them; finite_guard.hpp is what makes them right of any values.
#pragma once

#include "executor/device/cpu/choices/kernel_step.hpp"
#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

/// @param product  kernels of products; nothing for those that have none of their own
/// @param plain  any kernel; called later too
/// @return nothing for other kernels
std::unique_ptr<PreparedKernel const> make_choice_kernel(KernelShape const& shape, KernelTypes const& types,
                                                         scalar::Params const& params, PrepareKernel const& product,
                                                         PrepareKernel const& plain);

}  // namespace ein::executor
