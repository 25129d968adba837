// Sums of products of two operands as calls of cuBLAS: what it cannot take where it lies is packed first, the longest
// label that both operands and the output may have is its batch, and loops around calls do the others. Leaves the
// choice of rows, columns and terms to gemm_plan.hpp, the calls to cublas_call.hpp. Example: "bhqd,bhkd->bhqk" of heads
// within rows: a batch over h, a loop over b.
#pragma once

#include "executor/device/cuda/driver/blas_handle.hpp"
#include "executor/device/cuda/make_cuda_device.hpp"

namespace ein::executor::cuda {

/// @return nothing when the join is no such product, or kernels from text are predicted to be faster
std::unique_ptr<PreparedKernel const> make_cublas_kernel(Launcher& launcher, BlasHandle& handle,
                                                         KernelShape const& shape, scalar::Params const& params,
                                                         CudaOptions const& options);

}  // namespace ein::executor::cuda
