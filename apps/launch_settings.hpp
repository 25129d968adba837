// How the programs are launched, in one place for who launches (eintool run) and who writes scripts (einplan --batch):
// the settings of Open MPI that docs/launching.md explains, the options of srun, and how often a job is tried again.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ein::apps {

/// Variables of the environment; what the user has set stays as it is.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// mpirun goes by exit codes, and takes a host whose link is cut for lost after 16 s.
Variables launch_variables();

/// Ranks find one another by PMIx. A rank that is killed ends the step after ten seconds; ranks that end together with
/// a code of their own (75) are not killed at the first one's end, which would replace it.
std::vector<std::string> srun_options();

/// Further tries of a job that ends again and again with the same newest checkpoint.
inline constexpr int most_tries_without_progress = 2;

}  // namespace ein::apps
