// Copies whose operand runs along another label than its output: a transpose, or any permutation of axes. The label
// along which the operand's elements follow one another and the one along which the output's do are cut into tiles; a
// tile is turned in a buffer that stays in the first-level cache, so that whole cache lines are read and written once.
// Leaves everything that computes, converts or combines to loop_kernel.hpp. Example: "ij->ji".
#pragma once

#include <memory>

#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @param nest  simplified, every length at least 1, of a kernel whose join is operand 0
/// @return nothing unless elements only change place and both sides have such a label
std::unique_ptr<PreparedKernel const> make_transpose_kernel(Nest const& nest);

}  // namespace ein::executor
