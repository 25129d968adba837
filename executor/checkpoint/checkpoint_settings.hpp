// What a run is asked for about checkpoints, as a value.
#pragma once

#include <filesystem>
#include <optional>

namespace ein::executor {

struct WishTimes {
    std::optional<double> every;    // seconds between checkpoints
    std::optional<double> stop_at;  // seconds after the start by which the last one must be written
};

struct CheckpointSettings {
    std::filesystem::path folder;  // empty: none are asked for
    WishTimes times;
    bool required = false;  // a save that fails ends the run
    bool inputs = false;    // files that inputs are read from are copied there
};

}  // namespace ein::executor
