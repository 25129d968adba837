// Products of a vector and a matrix whose columns lie side by side: "i,ij->j", "ij,i->j", "bi,bij->bj", several labels
// of each kind, real and complex, halves and f32 read in their own type. Rows are added, each times its number of the
// vector, to sums that stay in the cache: the matrix is read once, as it lies. Leaves terms that lie side by side to
// vector_product.hpp.
#pragma once

#include <memory>

#include "executor/device/cpu/gemm/matrix_vector.hpp"

namespace ein::executor {

/// @return nothing where columns do not lie so
std::unique_ptr<PreparedKernel const> make_columns_kernel(MatrixVector const& product);

}  // namespace ein::executor
