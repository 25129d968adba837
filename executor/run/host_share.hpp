// What a rank gets of its host: ranks say where they run, make sure that what each host's ranks need is
// there, and share out the cores.
// Example: two ranks on a host of 8 cores that no launcher has bound: each has all 8 cores and 4 threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executor/run/messages.hpp"
#include "executor/transport/launcher.hpp"

namespace ein::executor {

struct HostShare {
    std::string host;
    std::vector<int> cores;  // that this rank may use
    int threads = 1;
    bool oversubscribed = false;  // more threads than cores on its host
};

/// Collective. Warns once for the run, for the first rank that has cause.
/// @param peaks  bytes of blocks, by rank  @param threads  that were asked for, if a number was
/// @throws Disagreement (no_memory, or usage for a variable that is no number of threads)
HostShare share_host(Transport& transport, std::vector<std::int64_t> const& peaks, std::optional<int> threads,
                     Environment const& environment, Messages const& messages);

}  // namespace ein::executor
