// The first steps of a run: every rank reads the header and its own section, and all agree that they read the same file
// and were asked for the same run.
// Example: three ranks under mpirun open a schedule for two: all throw, and rank 0 has "schedule is for 2 ranks, mpirun
// started 3; run mpirun -n 2 or plan again with einplan -n 3".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "executor/run/messages.hpp"
#include "executor/transport/launcher.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// What one rank knows of a schedule.
struct RankSchedule {
    schedule::Header header;
    schedule::Section section;              // of this rank
    std::string hash;                       // of the file, 16 hexadecimal digits
    std::filesystem::path data_folder;      // that data files are relative to
    std::vector<std::string> changed = {};  // at rank 0: what did since it was planned, a message each
};

/// Collective. Header and section are verified.
/// @throws Disagreement (bad_input for a file that cannot be read or is not the same on all ranks, usage for another
/// number of ranks)
RankSchedule open_schedule(Transport& transport, std::filesystem::path const& file, Environment const& environment);

enum class OnChange { warn, refuse };

/// Collective, when the run's inputs are known: rank 0 compares graph file and input files with what they were when the
/// schedule was planned, says what changed, and keeps it in `schedule`.
/// @throws Disagreement (bad_input) with all changes, where they are refused
void compare_with_planning(Transport& transport, RankSchedule& schedule, OnChange what, Messages const& messages);

/// For --reproducible. @throws UsageError unless the schedule was planned for it
void check_reproducible(schedule::Header const& header, std::filesystem::path const& file);

/// Collective. @param options  that must be the same on all ranks, a line each
/// @throws Disagreement (usage) with the first line that differs
void agree_on_options(Transport& transport, std::string const& options);

}  // namespace ein::executor
