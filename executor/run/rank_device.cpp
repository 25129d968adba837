#include "executor/run/rank_device.hpp"

#include <unistd.h>

#include "executor/device/accelerator.hpp"
#include "executor/startup/core_sets.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/cache_folder.hpp"
#include "lib/schedule/device/producer_fusion.hpp"
#include "lib/schedule/fusion/fold.hpp"
#include "lib/schedule/memory/take_over.hpp"

namespace ein::executor {

DeviceChoice choice_for(schedule::Header const& header, DeviceChoice choice) {
    if (!header.reproducible) return choice;
    if (choice.kind == DeviceKind::cuda)
        throw UsageError(
            "--device: expected cpu or reference for a schedule that was planned with --reproducible, found cuda, "
            "which "
            "adds in an order of its own; give another device, or plan without --reproducible");
    if (choice.kind == DeviceKind::automatic) choice.kind = DeviceKind::cpu;
    return choice;
}

RankDevice take_device(DeviceChoice const& choice, GpuSeat seat, std::vector<int> const& cores) {
    RankDevice out{make_device(choice, seat), cores};
    if (Accelerator const* const device = out.device->accelerator())
        out.cores = settle_near(cores_from_list(device->nearest_cores()), cores,
                                static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
    return out;
}

void take_apart(DeviceChoice const& choice, bool check_finite, RankSchedule& schedule) {
    bool const own_memory = has_own_memory(choice_for(schedule.header, choice));
    if (check_finite || own_memory) schedule.section = schedule::with_members_apart(schedule.header, schedule.section);
    if (own_memory) schedule::keep_all(schedule.section);
}

void report_choice(Device& device, DeviceChoice const& choice, Messages const& messages) {
    if (choice.kind != DeviceKind::automatic) return;
    if (device.accelerator() != nullptr)
        messages.report("--device auto: " + std::string(device.name()) + ", on " + device.description());
    else if (std::string const why = why_gpu_is_idle(choice); !why.empty())
        messages.warn("--device auto takes the CPU though there is a GPU: " + why);
}

void report_cache(Device& device, Environment const& environment, Messages const& messages) {
    if (device.accelerator() == nullptr) return;
    if (std::string const why = CacheFolder(environment).refusal(); !why.empty()) messages.warn(why);
}

void fuse_producers(Device& device, RankSchedule& schedule, std::optional<std::int64_t> memory,
                    std::optional<std::int64_t> device_memory) {
    Accelerator const* const accelerator = device.accelerator();
    if (accelerator == nullptr) return;
    schedule::fuse_producers(schedule.header, schedule.section,
                             {.peak = memory, .one_kernel = device_memory.value_or(accelerator->free_memory())});
}

}  // namespace ein::executor
