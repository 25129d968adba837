// cuBLAS on the compute stream, made when the first kernel needs it. Its workspace is ours, so that what it computes is
// the same from run to run.
#pragma once

#include "executor/device/cuda/driver/launcher.hpp"
#include "executor/device/cuda/tuning.hpp"

namespace ein::executor::cuda {

class BlasHandle {
public:
    static constexpr std::int64_t workspace_bytes = tuning::blas_workspace;

    explicit BlasHandle(Launcher& launcher) : launcher_(launcher) {}
    ~BlasHandle();
    BlasHandle(BlasHandle const&) = delete;
    BlasHandle& operator=(BlasHandle const&) = delete;

    /// @throws RunError, MemoryError
    void make();
    cublasHandle_t get() const { return handle_; }
    Blas const& functions() const { return *functions_; }

private:
    Launcher& launcher_;
    Blas const* functions_ = nullptr;  // once made
    DeviceBytes workspace_;
    cublasHandle_t handle_ = nullptr;
};

}  // namespace ein::executor::cuda
