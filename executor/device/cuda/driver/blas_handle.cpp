#include "executor/device/cuda/driver/blas_handle.hpp"

namespace ein::executor::cuda {

BlasHandle::~BlasHandle() {
    if (handle_ == nullptr) return;
    launcher_.stream().drain();
    blas().cublasDestroy.status(handle_);
}

void BlasHandle::make() {
    if (handle_ != nullptr) return;
    launcher_.context().enter();
    workspace_ = DeviceBytes(launcher_.context(), workspace_bytes, "cuBLAS's workspace");
    blas().cublasCreate(&handle_);
    blas().cublasSetStream(handle_, launcher_.stream().get());
    blas().cublasSetWorkspace(handle_, workspace_.data(), static_cast<std::size_t>(workspace_bytes));
    blas().cublasSetAtomicsMode(handle_, CUBLAS_ATOMICS_NOT_ALLOWED);
    blas().cublasSetMathMode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);  // halves add up in f32
}

}  // namespace ein::executor::cuda
