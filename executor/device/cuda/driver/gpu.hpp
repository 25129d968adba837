// Which GPU a rank takes, and what it is. Ranks of one host take turns among its GPUs; several may share one.
// Example: of 4 ranks on a host with 2 GPUs, local ranks 1 and 3 share GPU 1.
#pragma once

#include <functional>
#include <string>

#include "executor/device/cuda/driver/driver.hpp"
#include "executor/device/cuda/source/program.hpp"

namespace ein::executor::cuda {

/// A rank's place among those on its host.
struct LocalRank {
    int rank = 0, ranks = 1;
};
/// As the launcher says in the environment (Open MPI, Slurm, Hydra, MVAPICH); alone where none does.
LocalRank local_rank(std::function<char const*(char const*)> const& environment);

struct ChosenGpu {
    CUdevice device = 0;
    int number = 0, of = 1;  // among the visible ones
    int sharers = 1;         // ranks of this host that take it
    std::string name;
    std::int64_t memory = 0;  // bytes, all
    int architecture = 0;     // 90 for compute capability 9.0
    Gpu shape;
    std::string nearest_cores;  // as Linux lists them; "": it does not

    std::string text() const;  // "NVIDIA H100, 80 GiB, GPU 0 of 1, 2 ranks on it"
};

/// @throws RunError where there is none, or none that will do
ChosenGpu choose_gpu(LocalRank local);

}  // namespace ein::executor::cuda
