// Whether messages may go from one device's memory straight into another's. MPI is asked, and then patterns, a small
// and a large one, are sent within hosts and between them and compared: an MPI that says yes and delivers something
// else, or nothing, is known for it. One that crashes is reported with the option that avoids it.
// Considered: a process of its own for the probe: MPI gives it no place beside the run's.
#pragma once

#include "executor/device/accelerator.hpp"
#include "executor/transport/transport.hpp"

namespace ein::executor {

enum class DeviceMessages { automatic, on, off };
/// What a crash that may be MPI's over device memory ends with (health/crash_handler.hpp).
extern char const* const direct_message_hint;

DeviceMessages device_messages_from_name(std::string_view name);  // auto, on, off  @throws UsageError

/// Collective, between runs of tasks. Ranks whose kernels run in the host's memory (device: nullptr) take part with
/// that.
/// @param mine    what this rank was asked for: if some rank was asked for on, or for off, all do so
/// @param memory  of the device, before any block is in it  @param bytes  of that
/// @return the same on all ranks  @throws RunError where it was asked for and does not work, saying why; UsageError
/// where some rank was asked for on and another for off
bool messages_reach_devices(Transport& transport, DeviceMessages mine, Accelerator* device, std::byte* memory,
                            std::int64_t bytes);

}  // namespace ein::executor
