// How the rest of Einloom comes to the CUDA device: without CUDA's headers.
#pragma once

#include <memory>

#include "executor/device/accelerator.hpp"
#include "executor/device/gpu_seat.hpp"

namespace ein::executor::cuda {

/// What computes sums of products: whatever is predicted to be faster, or, for tests and benchmarks, one of them
/// wherever it can.
enum class Products { by_cost, by_cublas, by_generated_kernels };

struct CudaOptions {
    bool tf32 = false;  // products of f32 may round their operands to 10 bits
    Products products = Products::by_cost;
    GpuSeat seat = {};
};

/// The GPU of this rank. @throws RunError with what is missing and the fix
std::unique_ptr<Accelerator> make_cuda_device(CudaOptions options);

/// Names of the GPUs that this process sees (their UUIDs, of parts of GPUs too), "" for one that is too old; nothing
/// where there is none, or no driver.
std::vector<std::string> visible_gpus();

/// Why make_cuda_device would throw, or "" where a GPU is there and can be used.
std::string cuda_problem();
/// The same where there is a GPU that only lacks libraries; else "".
std::string cuda_library_problem();

}  // namespace ein::executor::cuda
