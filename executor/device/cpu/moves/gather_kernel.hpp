// Lookups whose positions run along the output's innermost label, or choose rows too short to be copied one by one:
// elements are read where positions say. Positions become offsets once for a tile of outputs, and the tile is read with
// them wherever it is repeated: at every row of x where all rows are read at the same columns. Leaves lookups of whole
// rows to lookup_kernel.hpp. Example: "iv,j->ij" with y = (2, 0) reads columns 2 and 0 of every row of x.
#pragma once

#include <memory>

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing when the kernel is no lookup by an integer operand, or one of rows that are worth a copy each
std::unique_ptr<PreparedKernel const> make_gather_kernel(KernelShape const& shape);

}  // namespace ein::executor
