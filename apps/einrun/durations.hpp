// Times of the command line: "90", "90s", "10min", "2h".
#pragma once

#include <ctime>
#include <optional>
#include <string>

namespace ein::apps {

/// Seconds, more than 0. @param option  for messages  @throws UsageError
double seconds_from(std::string const& text, std::string const& option);

/// For a few seconds without a unit, where minutes may be meant; else empty.
std::string note_of_short(std::string const& text, std::string const& option);

/// For "--stop-at auto". @throws UsageError outside a Slurm job
void require_slurm_job();
/// Seconds to the end of the Slurm job that this process runs in; asks squeue where the environment does not say.
/// Nothing where nobody knows.
std::optional<double> seconds_to_job_end();

}  // namespace ein::apps
