// The GPU that a rank takes: what it is, and how many ranks share it. Leaves which one that is to
// executor/startup/gpu_seats.hpp.
// Example: choose_gpu({1, 2}).text() is "NVIDIA H100, 80 GiB, GPU 1 of 2, 2 ranks on it".
#pragma once

#include <string>

#include "executor/device/cuda/driver/driver.hpp"
#include "executor/device/cuda/source/program.hpp"
#include "executor/device/gpu_seat.hpp"

namespace ein::executor::cuda {

struct ChosenGpu {
    CUdevice device = 0;
    int number = 0, of = 1;  // among the visible ones
    int sharers = 1;         // ranks that take it
    std::string name;
    std::int64_t memory = 0;  // bytes, all
    int architecture = 0;     // 90 for compute capability 9.0
    Gpu shape;
    std::string nearest_cores;  // as Linux lists them; "": it does not

    std::string text() const;  // "NVIDIA H100, 80 GiB, GPU 0 of 1, 2 ranks on it"
};

/// @throws RunError where there is none, or it will not do
ChosenGpu choose_gpu(GpuSeat seat);

}  // namespace ein::executor::cuda
