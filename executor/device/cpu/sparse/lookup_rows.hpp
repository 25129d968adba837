// Lookups in a sparse operand (gather): for each position what is listed there is copied, and nothing else is looked
// at. The output is sparse or dense. Example: rows of a matrix that an index names, "vj,i->ij" with where(y == [v], x,
// 0).
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing for any other kernel, or where values would be converted
std::unique_ptr<PreparedKernel const> make_lookup_rows_kernel(KernelShape const& shape);

}  // namespace ein::executor
