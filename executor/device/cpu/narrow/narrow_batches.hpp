// Batches of small products of narrow types: a part of the batch at a time becomes f32, is multiplied with a product in
// each lane of a vector (gemm/pair_lanes.hpp) and stored in the result's type, all of it in the cache. Panels of
// narrow words take longer to pack than matrices of 8 x 8 take to multiply.
#pragma once

#include <memory>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @param nest  simplified, with every length at least 1
/// @return nothing for what is no sum of products in f32 of operands or into results of other types, for products that
/// take no lanes, and where the order of terms is kept
std::unique_ptr<PreparedKernel const> make_narrow_batches(KernelShape const& shape, Nest const& nest,
                                                          KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
