// Before a run: whether the blocks of every rank fit in its budget, and what is done where they do not: ranks spill to
// disk, if they may. Each rank rewrites its own section for itself; they agree on what all of them must know. Example:
// peak 3 GiB, budget 2 GiB, a spill folder: the section spills now, its peak is at most 2 GiB. Without a folder:
// MemoryError.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "executor/transport/transport.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

struct MemoryLimits {
    std::optional<std::int64_t> budget;  // bytes of blocks a rank
    std::filesystem::path spill_dir;     // empty: nothing may spill
    int repeat = 1;                      // rounds of the run
    std::string schedule;                // its file, for messages
    std::string graph = {};              // that it was planned from, for messages; empty: no file
};

struct MemoryFit {
    bool spills = false;              // some rank does
    bool load_each_round = false;     // see EngineOptions
    std::vector<std::int64_t> peaks;  // bytes of blocks, by rank
};

/// Collective. @param section  this rank's; it spills afterwards if it must
/// @throws Disagreement (no_memory) on all ranks when it does not fit, with the smallest budget that would do, or when
/// a folder is missing
MemoryFit fit_memory(Transport& transport, schedule::Section& section, MemoryLimits const& limits);

}  // namespace ein::executor
