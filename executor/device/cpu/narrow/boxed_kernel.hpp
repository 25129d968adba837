// Products of narrow types in boxes: a box of both operands becomes words of 32 bits, is multiplied as such by whatever
// kernel is best for it, and is stored in the result's type, all of it in the second-level cache. Orders of labels that
// panels of narrow words take long to pack, or to store, take no longer so than products of f32 do.
#pragma once

#include <functional>
#include <memory>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// A kernel of a product of words of 32 bits, for a nest that is simplified; or null.
using WideProduct = std::function<std::unique_ptr<PreparedKernel const>(Nest const& nest)>;

/// @param nest  simplified, with every length at least 1
/// @return nothing for what is no sum of products in f32, or in integers of at most 32 bits, or all of f32; where the
/// order of terms is kept, and where it is predicted to take longer than narrow_kernel.hpp. i32 is multiplied as it is
std::unique_ptr<PreparedKernel const> make_boxed_kernel(KernelShape const& shape, Nest const& nest,
                                                        KernelTypes const& types, scalar::Params const& params,
                                                        WideProduct const& product);

}  // namespace ein::executor
