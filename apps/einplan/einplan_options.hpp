// The command line of einplan as a value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ein::apps {

struct EinplanOptions {
    std::filesystem::path graph;
    std::filesystem::path resume;  // folder of checkpoints, whose rest is the graph; empty: none
    int ranks = 0;
    std::filesystem::path out;  // of the schedule
    bool placed = false;        // --output said where; else it goes beside the graph
    bool dry_run = false;
    bool writes = true;  // the schedule: not in a dry run, nor where only something to read was asked for
    std::int64_t parts = 0;
    std::string decompose = "eindecomp";
    bool strategy_given = false;  // else the default: the best of all that are known
    std::string cost_unit = "bytes";
    double time_limit = 0;
    double limit = 1e18;  // operations of a product of many operands
    std::string place = "best";
    std::string inputs = "once";
    bool reproducible = false;
    std::string memory, device_memory;
    std::filesystem::path plan_out, plan_in;
    std::filesystem::path cluster;
    std::string simulate;    // text or json, if asked for
    std::vector<int> sweep;  // rank counts
    std::string explain;     // "", "text", "json" or "html"
    std::string batch;       // "", "slurm" or "mpirun"
    bool quiet = false;
    std::vector<std::string> warnings;  // of what may be meant otherwise
};

/// The files that it writes, by the options that ask for them.
std::vector<std::pair<std::string, std::filesystem::path>> places_written(EinplanOptions const& options);

/// Nothing when --help or --version was asked for and printed. @throws UsageError
std::optional<EinplanOptions> einplan_options(int argc, char const* const* argv);

}  // namespace ein::apps
