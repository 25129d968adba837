#include "executor/device/cuda/driver/gpu.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "executor/device/cuda/make_cuda_device.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::executor::cuda {
namespace {

constexpr int oldest_architecture = 70;

int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    driver().cuDeviceGetAttribute(&value, which, device);
    return value;
}

/// 90 for compute capability 9.0.
int architecture_of(CUdevice device) {
    return 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
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

std::vector<std::string> visible_gpus() try {
    std::vector<std::string> names;
    int const count = count_gpus();
    for (int number = 0; number < count; ++number) {
        CUdevice device = 0;
        driver().cuDeviceGet(&device, number);
        CUuuid id{};
        driver().cuDeviceGetUuid(&id, device);
        std::uint64_t halves[2];
        static_assert(sizeof halves == sizeof id.bytes);
        std::memcpy(halves, id.bytes, sizeof halves);
        names.push_back(architecture_of(device) < oldest_architecture ? "" : hex(halves[0]) + hex(halves[1]));
    }
    return names;
} catch (Error const&) {  // who takes one is told why
    return {};
}

/// $EINLOOM_CUDA_WIDE_FROM makes kernels take 64-bit indices from fewer elements on (scripts/gpu-check.sh does).
ChosenGpu choose_gpu(GpuSeat seat) {
    ChosenGpu gpu;
    gpu.of = count_gpus();
    gpu.number = seat.number;
    gpu.sharers = seat.sharers;
    driver().cuDeviceGet(&gpu.device, gpu.number);
    char name[256] = {};
    driver().cuDeviceGetName(name, sizeof(name) - 1, gpu.device);
    gpu.name = name;
    std::size_t bytes = 0;
    driver().cuDeviceTotalMem(&bytes, gpu.device);
    gpu.memory = static_cast<std::int64_t>(bytes);
    gpu.architecture = architecture_of(gpu.device);
    gpu.shape = {attribute(gpu.device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                 attribute(gpu.device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)};
    if (char const* const wide = std::getenv("EINLOOM_CUDA_WIDE_FROM")) gpu.shape.wide_from = std::atoll(wide);
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
