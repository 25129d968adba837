// Which GPU a rank computes on, of those that it sees. Leaves choosing to executor/startup/gpu_seats.hpp.
// Example: make_device(choice, {.number = 1, .sharers = 2}) is the second GPU that this process sees, where two ranks
// compute on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "executor/device/device.hpp"

namespace ein::executor {

struct GpuSeat {
    int number = 0;   // among those that it sees
    int sharers = 1;  // ranks that compute on it
    friend bool operator==(GpuSeat const&, GpuSeat const&) = default;
};

/// The GPUs that a choice may take here, by number: names that are the same for whoever sees the same GPU, "" for one
/// that will not do. Nothing where it takes none.
std::vector<std::string> visible_gpus(DeviceChoice const& choice);

/// As make_device(choice); the seat is for a choice that takes a GPU.
std::unique_ptr<Device> make_device(DeviceChoice const& choice, GpuSeat seat);

}  // namespace ein::executor
