// Whether a launcher started this program several times, as it starts ranks: what plans or launches alone is then
// started by mistake. A batch script's own processes, and a launcher that started one, are no such thing. Example:
// mpirun -n 4 einplan graph.json is StartedBy{"mpirun", 4, ...}.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ein::apps {

struct StartedBy {
    std::string launcher;  // "mpirun", "srun"
    int times;
    bool is_first;  // of those that it started
};

/// @param variable  of the environment, as std::getenv
std::optional<StartedBy> started_by(std::function<char const*(char const*)> const& variable);

}  // namespace ein::apps
