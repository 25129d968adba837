// Any kernel with sparse operands: points are found by walking what is listed (sparse_plan.hpp), joined in batches and
// combined into accumulators of rows. The work is cut into pieces: rows by weight; a label that nothing sparse has; or,
// where outputs are few, what is walked. Pieces never share an accumulator, so threads never change a bit.
// Leaves a few structures to faster kernels. Example: a merge of two matrices is two terms; each row lists what either
// lists.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing for what is left to the reference: min and max of complex numbers, a row with more places than a
/// number counts
std::unique_ptr<PreparedKernel const> make_row_kernel(KernelShape const& shape, scalar::Params const& params);

}  // namespace ein::executor
