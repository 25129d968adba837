#include <algorithm>

#include "executor/device/cpu_device.hpp"
#include "executor/device/emulated_device.hpp"
#include "executor/device/reference_device.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

std::unique_ptr<Device> make_device(DeviceChoice const& choice) {
    switch (choice.kind) {
        case DeviceKind::automatic:
        case DeviceKind::cpu: return std::make_unique<CpuDevice>();
        case DeviceKind::reference: return std::make_unique<ReferenceDevice>();
        case DeviceKind::emulated: return std::make_unique<EmulatedDevice>(emulated_faults_from_text(choice.details));
        case DeviceKind::cuda:
            throw RunError(
                "--device cuda: expected a build and machine with CUDA, found a CPU-only build; use --device cpu");
    }
    throw InternalError("unknown kind of device");
}

DeviceChoice device_choice_from_text(std::string_view text) {
    std::string_view const name = text.substr(0, text.find(':'));
    if (name == "emulated") {
        DeviceChoice choice{DeviceKind::emulated, std::string(text.substr(std::min(text.size(), name.size() + 1)))};
        emulated_faults_from_text(choice.details);
        return choice;
    }
    if (text == "auto") return {DeviceKind::automatic};
    if (text == "reference") return {DeviceKind::reference};
    if (text == "cpu") return {DeviceKind::cpu};
    if (text == "cuda") return {DeviceKind::cuda};
    throw UsageError("--device: expected auto, reference, cpu or cuda, found '" + std::string(text) +
                     "'; correct the option");
}

}  // namespace ein::executor
