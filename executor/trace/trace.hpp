// The trace of a run, for Perfetto or chrome://tracing: a process a rank, a track a worker, with its tasks and the
// pieces of kernels within them; tracks of sends and receives, arrows along each message, counters, and phases. Above
// each rank what was predicted for it, from where the first round begins to execute. All times are on rank 0's clock.
// Ranks write their parts one after another, so that no rank ever holds them all; the file has its name when all have.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "executor/trace/clock_line.hpp"
#include "executor/trace/record.hpp"

namespace ein::executor {

/// What one rank contributes.
struct TraceParts {
    schedule::Header const& header;
    schedule::Section const& section;
    Record const& record;  // of Keep::all; the run has ended
    ClockLine clock;
    bool shared_cores = false;  // this rank has fewer than it has threads, with the ranks beside it
    // Of each loop in one round, an inner one's over all iterations of the outer; those of this rank's section.
    Table<schedule::LoopSpecId, std::int64_t> iterations = {};
    bool stopped = false;     // early, with a checkpoint
    bool lost_cores = false;  // kernels of this rank stood still for much of their time, others having its cores
};

/// What a run was expected to be: for each rank when its tasks begin and end, in seconds since inputs are in place.
struct Forecast {
    schedule::Schedule schedule;
    std::vector<std::vector<Event>> tasks;
    std::string machines;  // that it is for: "the built-in cluster", or a file
    // Seconds of a round in which loops have so many iterations; `tasks` are of one.
    std::function<double(Table<schedule::LoopSpecId, std::int64_t> const&)> seconds = {};
    // Worker seconds that a task takes at least on them: its operations or its bytes at their rates.
    std::function<double(schedule::Section const&, schedule::Task const&)> least_seconds = {};
};

/// Collective. @param forecast  called at rank 0  @throws Disagreement on all ranks when one cannot write
void write_trace(std::filesystem::path const& path, Transport& transport, TraceParts const& parts,
                 std::function<Forecast()> const& forecast);

}  // namespace ein::executor
