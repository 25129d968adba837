// The command line of einrun as a value.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "executor/run/run_settings.hpp"

namespace ein::apps {

struct EinrunOptions {
    executor::RunSettings run;
    std::vector<std::string> inputs, params;  // NAME=FILE, NAME=NUMBER
    std::string inputs_below;                 // folder; empty: data files may be anywhere
    bool verify = false;
    bool verify_calls = false;            // also where all outputs can be checked otherwise
    std::optional<std::int64_t> samples;  // of each output; without it all elements when that is little work
    std::filesystem::path cluster;        // that a trace predicts for; empty: the built-in one
    std::string log_level = "warn";
    bool stops_at_job_end = false;      // --stop-at auto
    std::vector<std::string> warnings;  // of what may be meant otherwise
};

/// Nothing when --help or --version was asked for and printed. @throws UsageError
std::optional<EinrunOptions> einrun_options(int argc, char const* const* argv);

/// A line each. Parts of one mpirun command may have options of their own (-n 1 einrun ... : -n 2 einrun ...), but not
/// these.
std::string options_of_all_ranks(EinrunOptions const& options);

}  // namespace ein::apps
