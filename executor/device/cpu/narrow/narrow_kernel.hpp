// Products of narrow types: sums of products of bf16, f16, i8, u8, i16 and i32, any over and of bool, and what is
// mixed of them. Operands are packed into panels of words (narrow_loops.hpp), once for all threads where several tasks
// read them, and multiplied in blocks whose sums, of f32 or i32, are stored in the output's type at their end.
// Leaves which labels are rows, columns and terms to gemm_plan.hpp, and which loops are used to narrow_choice.hpp.
// Sums do not depend on how rows and columns are cut, nor on threads.
#pragma once

#include <memory>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @param nest  simplified, with every length at least 1
/// @return nothing for what is no such product, or better done by other kernels
std::unique_ptr<PreparedKernel const> make_narrow_kernel(KernelShape const& shape, Nest const& nest,
                                                         KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
