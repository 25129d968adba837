// One call of cuBLAS: products of row-major matrices, one for each iteration of a batch. cuBLAS thinks in columns:
// where the output is stored by rows, the transposed product is asked for, whose operands change places. Leaves which
// labels are rows, columns and batch to cublas_kernel.hpp.
#pragma once

#include <array>

#include "executor/device/cpu/gemm/gemm_calls.hpp"
#include "executor/device/cuda/driver/blas_handle.hpp"

namespace ein::executor::cuda {

/// Types of the left, the right and the output matrix, and of the arithmetic.
struct ProductTypes {
    std::array<DType, 3> stored;
    DType compute;
    bool tf32 = false;  // products of f32 may round their operands
};

/// The type of arithmetic that the combination is asked for with: TF32 where it may and all three matrices are
/// f32, as cuBLAS has it (of c64 we do not ask).
cublasComputeType_t compute_type(ProductTypes const& types);

/// Whether cuBLAS knows the combination.
bool in_cublas(ProductTypes const& types);

/// c[m, n] = alpha * sum over k of a[m, k] * b[k, n] + beta * c[m, n], for each iteration of the batch.
struct BatchedProduct {
    ProductTypes types;
    Extent m = 1, n = 1, k = 1, batch = 1;
    double alpha = 1, beta = 0;
    std::array<BlasForm, 3> forms;
    std::array<Extent, 3> batch_steps{};  // in elements
};
void multiply(BlasHandle const& handle, BatchedProduct const& product, void const* a, void const* b, void* c);

}  // namespace ein::executor::cuda
