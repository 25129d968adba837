// Sums of products with one sparse operand (product_terms.hpp), of f32 or f64: products of a sparse matrix with a
// vector or a matrix, of sparse tensors with factor matrices, sampled products of matrices. Outputs are dense, or list
// what the sparse operand lists. Rows are cut for threads by what they list. Example: "ij,ik,jk->ij" with a sparse
// output is an inner product for each listed element.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

/// @param otherwise  for blocks of which the wanted order cannot be had
/// @return nothing for any other kernel; then `otherwise` is as it was
std::unique_ptr<PreparedKernel const> make_product_kernel(KernelShape const& shape, scalar::Params const& params,
                                                          std::unique_ptr<PreparedKernel const>& otherwise);

}  // namespace ein::executor
