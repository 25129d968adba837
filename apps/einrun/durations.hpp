// Times of the command line: "90", "90s", "10min", "2h".
#pragma once

#include <ctime>
#include <optional>
#include <string>

namespace ein::apps {

/// Seconds, more than 0. @param option  for messages  @throws UsageError
double seconds_from(std::string const& text, std::string const& option);

/// Of --stop-at: a time, or "auto", which is the end of the Slurm job that this process runs in; nothing where the job
/// has none. @throws UsageError for "auto" outside a job
std::optional<double> stop_at_from(std::string const& text);

}  // namespace ein::apps
