// What a run is asked for, as a value: of one rank. Which of these all ranks must be asked for alike is decided where
// they come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "executor/call_check/call_samples.hpp"
#include "executor/checkpoint/checkpoint_settings.hpp"
#include "executor/device/gpu_seat.hpp"
#include "executor/report/progress.hpp"
#include "executor/storage/device_messages.hpp"

namespace ein::executor {

struct RunSettings {
    std::filesystem::path schedule;         // file
    std::filesystem::path out = "results";  // folder
    bool dense_outputs = false;             // sparse outputs too are written as npy
    std::optional<int> threads;
    DeviceChoice device;
    GpuSeat gpu_seat;  // of this rank (startup/gpu_seats.hpp)
    DeviceMessages device_messages = DeviceMessages::automatic;
    std::optional<std::int64_t> device_memory;  // bytes of blocks a rank, on a device with memory of its own
    std::optional<std::int64_t> memory;         // bytes of blocks a rank
    std::filesystem::path spill_dir;            // empty: nothing may spill
    std::filesystem::path report, trace;        // files; empty: none
    bool reproducible = false;                  // the schedule must have been planned so
    int repeat = 1;                             // rounds
    double stall = 300;                         // seconds
    bool check_finite = false;                  // NaN or infinity that begins in a node is an error
    CallChecks check_calls;                     // elements of calls are computed again while the run lasts
    bool strict = false;                        // so is a graph or input that changed since planning
    CheckpointSettings checkpoints;             // no folder: none
    bool quiet = false;
    ProgressMode progress = ProgressMode::off;
    std::string version;  // of the program, for reports
};

}  // namespace ein::executor
