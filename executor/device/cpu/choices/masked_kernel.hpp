// Products under a condition that labels of one operand decide (graph::as_masked_product): pieces of that operand with
// zeros where it says no, times the other one. Pieces that are zeros by their indices alone are left out.
#pragma once

#include "executor/device/cpu/choices/kernel_step.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "lib/graph/masked_product.hpp"

namespace ein::executor {

/// @param product  kernels of products; nothing for those that have none of their own
/// @param plain  any kernel
/// @return nothing where products of these lengths have no kernel of their own. Else one for a finite other operand.
std::unique_ptr<PreparedKernel const> make_masked_kernel(KernelShape const& shape, graph::MaskedProduct const& masked,
                                                         scalar::Params const& params, PrepareKernel const& product,
                                                         PrepareKernel const& plain);

}  // namespace ein::executor
