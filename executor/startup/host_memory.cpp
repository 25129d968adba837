#include "executor/startup/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "lib/base/text/sizes.hpp"

namespace ein::executor {
namespace {

/// The number in a small file; 0 when there is none ("max": no limit).
std::int64_t number_in_file(char const* path) {
    std::ifstream in(path);
    std::int64_t number = 0;
    return in >> number ? number : 0;
}

}  // namespace

std::int64_t memory_of_this_host() {
    std::int64_t bytes =
        static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
    for (char const* limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
        if (std::int64_t const allowed = number_in_file(limit); allowed > 0)
            bytes = bytes > 0 ? std::min(bytes, allowed) : allowed;
    return std::max<std::int64_t>(bytes, 0);
}

void check_host_memory(std::vector<Seat> const& seats, std::vector<std::int64_t> const& peaks, Rank self,
                       std::int64_t here) {
    std::string const& host = seats[static_cast<std::size_t>(self.value())].host;
    std::int64_t wanted = 0, ranks = 0;
    for (std::size_t rank = 0; rank < seats.size(); ++rank)
        if (seats[rank].host == host) wanted += peaks[rank], ++ranks;
    if (here == 0 || wanted <= here) return;
    throw MemoryError(
        "host " + host + ": expected memory for the blocks of its " + std::to_string(ranks) +
        (ranks == 1 ? " rank, " : " ranks, ") + format_bytes(static_cast<double>(wanted)) + " at their peaks, found " +
        format_bytes(static_cast<double>(here)) +
        " in all; run fewer ranks on each host, plan for more ranks on more hosts, or give --memory and --spill-dir");
}

}  // namespace ein::executor
