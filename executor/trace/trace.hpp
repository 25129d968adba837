// The trace of a run, for Perfetto or chrome://tracing: a process a rank, a track a worker, with its tasks and the pieces of kernels
// within them; tracks of sends and receives, arrows along each message, counters, and phases. All times are on rank 0's clock.
// Ranks write their parts one after another, so that no rank ever holds them all; the file has its name when all have.
#pragma once

#include <filesystem>

#include "executor/trace/clock_line.hpp"
#include "executor/trace/record.hpp"

namespace ein::executor {

/// What one rank contributes.
struct TraceParts {
    schedule::Header const& header;
    schedule::Section const& section;
    Record const& record;  // of Keep::all; the run has ended
    ClockLine clock;
};

/// Collective. @throws Disagreement on all ranks when one cannot write
void write_trace(std::filesystem::path const& path, Transport& transport, TraceParts const& parts);

}  // namespace ein::executor
