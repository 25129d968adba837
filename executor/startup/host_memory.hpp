// Whether the blocks of all ranks of a host fit in it, found before anything is loaded: the peaks are known.
// Example: two ranks of 9 GiB each on a host of 16 GiB: refused with the numbers, not killed in the middle of the
// night.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/startup/threads.hpp"

namespace ein::executor {

/// Bytes that processes here may use: physical memory, or the limit of their control group; 0 when neither can be read.
std::int64_t memory_of_this_host();

/// @param seats, peaks  of every rank: where it runs, and the most bytes of blocks that it will hold
/// @param here  bytes of the host of rank `self`; 0 is taken as enough
/// @throws MemoryError when the peaks of the ranks on this rank's host add up to more
void check_host_memory(std::vector<Seat> const& seats, std::vector<std::int64_t> const& peaks, Rank self,
                       std::int64_t here);

}  // namespace ein::executor
