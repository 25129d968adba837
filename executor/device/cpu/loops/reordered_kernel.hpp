// Elements that are computed or copied where an operand has its labels in another order than the output, or lacks some,
// and the output's rows are short: loops along a row would begin too often. The output is cut into boxes that are one
// run; of each, such operands are brought into its order first (ordered_box.hpp), and loops go over the whole run.
// Leaves to loop_kernel.hpp what is computed, and everything else: long rows, aggregations, labels that a join asks
// for. Example: "acb,abc->abc" of 1000000 x 3 x 5.
#pragma once

#include <memory>

#include "executor/device/cpu/loops/loop_kernel.hpp"

namespace ein::executor {

/// @param nest  simplified, with every length at least 1
/// @return nothing for what is left to loops
std::unique_ptr<PreparedKernel const> make_reordered_kernel(Nest const& nest, LoopBody const& body);

}  // namespace ein::executor
