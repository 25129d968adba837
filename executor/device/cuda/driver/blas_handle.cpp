#include "executor/device/cuda/driver/blas_handle.hpp"

namespace ein::executor::cuda {

BlasHandle::~BlasHandle() {
    if (handle_ == nullptr) return;
    launcher_.stream().drain();
    functions_->cublasDestroy.status(handle_);
}

void BlasHandle::make() {
    if (handle_ != nullptr) return;
    launcher_.context().enter();
    workspace_ = DeviceBytes(launcher_.context(), workspace_bytes, "cuBLAS's workspace");
    functions_ = &blas(launcher_.context().gpu().architecture);
    functions_->cublasCreate(&handle_);
    functions_->cublasSetStream(handle_, launcher_.stream().get());
    functions_->cublasSetWorkspace(handle_, workspace_.data(), static_cast<std::size_t>(workspace_bytes));
    functions_->cublasSetAtomicsMode(handle_, CUBLAS_ATOMICS_NOT_ALLOWED);
    functions_->cublasSetMathMode(handle_, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);  // halves add up in f32
}

}  // namespace ein::executor::cuda
