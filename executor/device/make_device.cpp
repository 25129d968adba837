#include <algorithm>
#include <string>
#include <vector>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cuda/make_cuda_device.hpp"
#include "executor/device/emulated/emulated_device.hpp"
#include "executor/device/gpu_seat.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/near_names.hpp"

namespace ein::executor {

namespace {

#ifdef EIN_WITH_CUDA
std::unique_ptr<Device> make_cuda(bool tf32, GpuSeat seat) {
    return cuda::make_cuda_device({.tf32 = tf32, .seat = seat});
}

bool cuda_is_here() { return cuda::cuda_problem().empty(); }
std::string cuda_lacks() { return cuda::cuda_library_problem(); }
std::vector<std::string> cuda_gpus() { return cuda::visible_gpus(); }
#else
std::unique_ptr<Device> make_cuda(bool, GpuSeat) {
    throw RunError(
        "--device cuda: expected a build with CUDA, found a CPU-only build; configure where CUDA's headers are "
        "(CUDA_HOME names their folder), or use --device cpu");
}

bool cuda_is_here() { return false; }
std::string cuda_lacks() { return ""; }
std::vector<std::string> cuda_gpus() { return {}; }
#endif

}  // namespace

std::unique_ptr<Device> make_device(DeviceChoice const& choice) { return make_device(choice, {}); }

std::unique_ptr<Device> make_device(DeviceChoice const& choice, GpuSeat seat) {
    switch (choice.kind) {
        case DeviceKind::automatic:
            if (cuda_is_here()) return make_cuda(choice.tf32, seat);
            [[fallthrough]];
        case DeviceKind::cpu: return std::make_unique<CpuDevice>();
        case DeviceKind::reference: return std::make_unique<ReferenceDevice>();
        case DeviceKind::emulated: return std::make_unique<EmulatedDevice>(emulated_faults_from_text(choice.details));
        case DeviceKind::cuda: return make_cuda(choice.tf32, seat);
    }
    throw InternalError("unknown kind of device");
}

bool has_own_memory(DeviceChoice const& choice) {
    switch (choice.kind) {
        case DeviceKind::automatic: return cuda_is_here();
        case DeviceKind::emulated:
        case DeviceKind::cuda: return true;
        case DeviceKind::cpu:
        case DeviceKind::reference: return false;
    }
    throw InternalError("unknown kind of device");
}

std::vector<std::string> visible_gpus(DeviceChoice const& choice) {
    bool const may = choice.kind == DeviceKind::cuda || choice.kind == DeviceKind::automatic;
    return may && has_own_memory(choice) ? cuda_gpus() : std::vector<std::string>();
}

std::string why_gpu_is_idle(DeviceChoice const& choice) {
    return choice.kind == DeviceKind::automatic ? cuda_lacks() : "";
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
    if (text == "cuda" || text == "gpu") return {DeviceKind::cuda};
    std::string const mend =
        text == "cuda:tf32"               ? "give --device cuda and --allow-tf32"
        : name == "cuda" || name == "gpu" ? "give --device cuda: ranks take in turn the GPUs that they see, and "
                                            "CUDA_VISIBLE_DEVICES says which those are"
        : name == "rocm" || name == "hip" || name == "mps" || name == "metal" || name == "tpu"
            ? "GPUs are NVIDIA's alone; cpu runs anywhere"
            : mend_name(text, std::vector<std::string>{"auto", "reference", "cpu", "cuda"}, "correct the option");
    throw UsageError("--device: expected auto, reference, cpu or cuda, found '" + std::string(text) + "'; " + mend);
}

}  // namespace ein::executor
