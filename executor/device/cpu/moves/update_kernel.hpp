// Updates of few elements where the operand already lies where the output does (lib/graph/update.hpp): the conditions'
// operands are looked at, and what they leave of one label is computed; the rest stays as it is.
// Example: where([p] == x, y, z) over 4096 positions p in the memory of z: x is 17, and row 17 is written.
#pragma once

#include <memory>

#include "executor/device/device.hpp"

namespace ein::executor {

/// @param prepare  kernels of the same join and other lengths, which compute all of it
/// @return nothing for other joins
std::unique_ptr<PreparedKernel const> make_update_kernel(KernelShape const& shape, scalar::Params const& params,
                                                         PrepareKernel const& prepare);

}  // namespace ein::executor
