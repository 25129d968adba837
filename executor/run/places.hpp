// What rank 0 says for all ranks, once, before the first task: where they compute, and which spill folder saves no
// memory. Example: "rank 1 on node7: cuda, NVIDIA H100; cores 16-31".
#pragma once

#include <filesystem>

#include "executor/run/messages.hpp"
#include "executor/run/rank_device.hpp"
#include "executor/run/run_settings.hpp"

namespace ein::executor {

/// Collective. Where ranks compute, if some do on devices with memory of their own; if none does, a limit of such
/// memory is warned of.
void report_places(Transport& transport, std::string const& host, RankDevice const& device, RunSettings const& settings,
                   Messages const& messages);

/// Collective. @param in_memory  whether this rank spills to a file system in memory
void warn_of_spills_in_memory(Transport& transport, std::string const& host, bool in_memory,
                              std::filesystem::path const& spill_dir, Messages const& messages);

}  // namespace ein::executor
