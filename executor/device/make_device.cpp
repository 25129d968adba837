#include "executor/device/cpu_device.hpp"
#include "executor/device/reference_device.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

std::unique_ptr<Device> make_device(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::automatic:
        case DeviceKind::cpu: return std::make_unique<CpuDevice>();
        case DeviceKind::reference: return std::make_unique<ReferenceDevice>();
        case DeviceKind::cuda:
            throw RunError(
                "--device cuda: expected a build and machine with CUDA, found a CPU-only build; use --device cpu");
    }
    throw InternalError("unknown kind of device");
}

DeviceKind device_kind_from_name(std::string_view name) {
    if (name == "auto") return DeviceKind::automatic;
    if (name == "reference") return DeviceKind::reference;
    if (name == "cpu") return DeviceKind::cpu;
    if (name == "cuda") return DeviceKind::cuda;
    throw UsageError("--device: expected auto, reference, cpu or cuda, found '" + std::string(name) +
                     "'; correct the option");
}

}  // namespace ein::executor
