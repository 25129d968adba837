// The device that a rank computes on, and the cores that it keeps to for its sake.
// Example: take_device({DeviceKind::automatic}, {}, cores) where there is a GPU: that, and the cores of `cores` near
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "executor/device/gpu_seat.hpp"
#include "executor/run/messages.hpp"
#include "executor/run/open_schedule.hpp"

namespace ein::executor {

struct RankDevice {
    std::unique_ptr<Device> device;
    std::vector<int> cores;  // that this rank may use
};

/// The choice for a schedule; a reproducible one takes no GPU, whose kernels have an order of their own for sums.
/// @throws UsageError where a GPU was asked for
DeviceChoice choice_for(schedule::Header const& header, DeviceChoice choice);

/// @param seat  of a choice that takes a GPU
/// @param cores  that this rank may use; near a device with memory of its own it settles on some of them
/// @throws UsageError, RunError for a device that this build or machine has not
RankDevice take_device(DeviceChoice const& choice, GpuSeat seat, std::vector<int> const& cores);

/// Fused tasks are taken apart where they cannot run piece by piece: on a device with memory of its own, and where each
/// task's result is looked at (--check-finite). On a device with memory of its own no result takes another block's
/// memory over. Before memory is fitted: what was inside takes room then.
void take_apart(DeviceChoice const& choice, bool check_finite, RankSchedule& schedule);

/// What DeviceKind::automatic took; nothing for any other choice. For one rank to call.
void report_choice(Device& device, DeviceChoice const& choice, Messages const& messages);

/// Why what is compiled for the device is not kept for later runs, if so. For one rank to call.
void report_cache(Device& device, Environment const& environment, Messages const& messages);

/// Where the device has memory of its own, elementwise kernels are recomputed by their readers (producer_fusion.hpp).
/// @param memory, device_memory  bytes of blocks that a rank may have in its host, on its device
void fuse_producers(Device& device, RankSchedule& schedule, std::optional<std::int64_t> memory,
                    std::optional<std::int64_t> device_memory);

}  // namespace ein::executor
