// A trace of every task for Perfetto or chrome://tracing: pid is the rank, tid the worker; transfers have a lane of their own.
// Ranks write their parts one after another, so that no rank ever holds them all; the file has its name when all have.
#pragma once

#include <filesystem>

#include "executor/engine.hpp"

namespace ein::executor {

/// Collective. Times are since each rank began, in microseconds. @throws Disagreement on all ranks when one cannot write
void write_trace(std::filesystem::path const& path, Transport& transport, schedule::Header const& header,
                 schedule::Section const& section, RunResult const& result);

}  // namespace ein::executor
