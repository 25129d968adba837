// Products of two sparse operands over one label (SpGEMM) and over two operations (pair_row_loops.hpp), row by row
// after Gustavson: a row of the output is what rows of the second operand make, each joined with an element of the
// first; it has an accumulator for each column, and bits that say which were met. Products of rows that have few are
// put in order together. A sparse output is counted first, then written where it belongs. Example: "ik,kj->ij" with
// both sparse. Source: Gustavson, Two fast algorithms for sparse matrices, ACM TOMS 4(3), 1978.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @return nothing for any other kernel; then `otherwise` is as it was
std::unique_ptr<PreparedKernel const> make_pair_rows_kernel(KernelShape const& shape, scalar::Params const& params,
                                                            std::unique_ptr<PreparedKernel const>& otherwise);

}  // namespace ein::executor
