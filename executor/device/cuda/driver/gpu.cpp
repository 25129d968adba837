#include "executor/device/cuda/driver/gpu.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::executor::cuda {
namespace {

constexpr int oldest_architecture = 70;

std::optional<int> number_of(char const* text) {
    if (text == nullptr) return std::nullopt;
    int value = 0;
    auto const [end, error] = std::from_chars(text, text + std::strlen(text), value);  // Slurm says "4(x2)"
    return error == std::errc() && end != text ? std::optional(value) : std::nullopt;
}

int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    driver().cuDeviceGetAttribute(&value, which, device);
    return value;
}

/// What Linux says of the GPU's place on the PCI bus. $EINLOOM_SYSFS names another folder than /sys (tests do).
std::string nearest_cores(CUdevice device) {
    char place[64];
    std::snprintf(place, sizeof place, "%04x:%02x:%02x.0", attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                  attribute(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                  attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    char const* const other = std::getenv("EINLOOM_SYSFS");
    std::ifstream in(std::string(other == nullptr ? "/sys" : other) + "/bus/pci/devices/" + place + "/local_cpulist");
    std::string list;
    std::getline(in, list);
    return list;
}

int count_gpus() {
    CUresult const ready = driver().cuInit.status(0);
    int count = 0;
    if (ready != CUDA_SUCCESS && ready != CUDA_ERROR_NO_DEVICE)
        throw RunError("--device cuda: the driver does not start: " + text_of(ready) +
                       "; see whether nvidia-smi lists a GPU, or use --device cpu");
    if (ready == CUDA_SUCCESS) driver().cuDeviceGetCount(&count);
    if (count == 0)
        throw RunError(
            "--device cuda: expected a GPU, found none; see whether nvidia-smi lists one and CUDA_VISIBLE_DEVICES lets "
            "it be seen, or use --device cpu");
    return count;
}

}  // namespace

LocalRank local_rank(std::function<char const*(char const*)> const& environment) {
    constexpr char const* launchers[][2] = {{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                            {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                                            {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
                                            {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
                                            {"SLURM_LOCALID", "SLURM_TASKS_PER_NODE"}};
    for (auto const& [rank_name, size_name] : launchers) {
        std::optional<int> const rank = number_of(environment(rank_name));
        if (!rank || *rank < 0) continue;
        return {*rank, std::max(*rank + 1, number_of(environment(size_name)).value_or(1))};
    }
    return {};
}

ChosenGpu choose_gpu(LocalRank local) {
    ChosenGpu gpu;
    gpu.of = count_gpus();
    gpu.number = local.rank % gpu.of;
    gpu.sharers = (local.ranks - gpu.number + gpu.of - 1) / gpu.of;
    driver().cuDeviceGet(&gpu.device, gpu.number);
    char name[256] = {};
    driver().cuDeviceGetName(name, sizeof(name) - 1, gpu.device);
    gpu.name = name;
    std::size_t bytes = 0;
    driver().cuDeviceTotalMem(&bytes, gpu.device);
    gpu.memory = static_cast<std::int64_t>(bytes);
    gpu.architecture = 10 * attribute(gpu.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                       attribute(gpu.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    gpu.shape = {attribute(gpu.device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                 attribute(gpu.device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)};
    gpu.nearest_cores = nearest_cores(gpu.device);
    if (gpu.architecture < oldest_architecture)
        throw RunError("--device cuda: expected a GPU of compute capability 7.0 or later, found " + gpu.name + " of " +
                       std::to_string(gpu.architecture / 10) + "." + std::to_string(gpu.architecture % 10) +
                       "; choose another with CUDA_VISIBLE_DEVICES, or use --device cpu");
    return gpu;
}

std::string ChosenGpu::text() const {
    return name + ", " + format_bytes(static_cast<double>(memory)) + ", GPU " + std::to_string(number) + " of " +
           std::to_string(of) + (sharers > 1 ? ", " + std::to_string(sharers) + " ranks on it" : "");
}

}  // namespace ein::executor::cuda
