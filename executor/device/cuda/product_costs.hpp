// Predicted times of a product of two operands on a GPU, which choose between cuBLAS, with what it needs packed first,
// and the kernel from text that takes labels as they come. They only rank ways to do the same work. Speeds are
// tuning.hpp's; scripts/bench/gpu_kernels.cpp measures both ways.
// Example: "ij,jk->ik" of f32, 4096 each: 7 ms from text, 3 ms with cuBLAS.
#pragma once

#include "executor/device/cuda/make_cuda_device.hpp"
#include "executor/device/kernel/gemm_plan.hpp"

namespace ein::executor::cuda {

/// Seconds of the kernel from text (contract_source.hpp where rows, columns and terms fill its tiles, else
/// fold_source.hpp). @param nest  simplified  @param left, right  its operands that are multiplied
double seconds_from_text(Nest const& nest, std::size_t left, std::size_t right, DType compute);

/// What plan_gemm compares. @param stored  the type of the operands' matrices
GemmCosts product_costs(DType stored, double seconds_from_text, Products products);

}  // namespace ein::executor::cuda
