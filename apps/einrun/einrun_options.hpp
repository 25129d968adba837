// The command line of einrun as a value.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "executor/device/device.hpp"
#include "executor/report/progress.hpp"
#include "executor/storage/device_messages.hpp"

namespace ein::apps {

struct EinrunOptions {
    std::filesystem::path schedule;
    std::filesystem::path out = "results";
    std::vector<std::string> inputs, params;  // NAME=FILE, NAME=NUMBER
    std::optional<int> threads;
    executor::DeviceChoice device;
    executor::DeviceMessages device_messages = executor::DeviceMessages::automatic;
    std::optional<std::int64_t> device_memory;  // bytes of blocks a rank, on a device with memory of its own
    std::optional<std::int64_t> memory;         // bytes of blocks a rank
    std::filesystem::path spill_dir;            // empty: nothing may spill
    bool verify = false;
    std::optional<std::int64_t> samples;  // of each output; without it all elements when that is little work
    std::filesystem::path report, trace;
    std::filesystem::path cluster;  // that a trace predicts for; empty: the built-in one
    int repeat = 1;
    double stall = 300;
    bool quiet = false;
    std::string log_level = "warn";
    executor::ProgressMode progress = executor::ProgressMode::off;
};

/// Nothing when --help or --version was asked for and printed. @throws UsageError
std::optional<EinrunOptions> einrun_options(int argc, char const* const* argv);

}  // namespace ein::apps
