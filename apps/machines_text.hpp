// How the machines that a run is predicted on are named: a run's trace and a simulated schedule are compared, and the
// built-in cluster has the threads of the run there, its own here. Example: "the built-in cluster, 8 threads a rank".
#pragma once

#include <string>
#include <string_view>

#include "lib/base/text/counted.hpp"

namespace ein::apps {

inline constexpr std::string_view built_in_cluster = "the built-in cluster";

/// @param name  built_in_cluster, or a cluster file
inline std::string machines_text(std::string const& name, int threads) {
    return name + ", " + counted(threads, "thread") + " a rank";
}

}  // namespace ein::apps
