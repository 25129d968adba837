// What ranks load of sparse inputs beyond what all of them would load once. Each rank reads what it wants of a sparse
// input for itself: that is no message, but it takes memory and time as one does, and a plan that makes every rank read
// all of a matrix must not look as if it moved nothing.
// Example: a matrix of 1 MB cut in 4 rows of blocks that 2 ranks want each: 8 ranks, 2 MB loaded, 128 KB of each again.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

/// Bytes by rank: of each of its loads the share that is loaded more than once. 0 where no input is sparse.
std::vector<std::int64_t> loaded_again(schedule::Schedule const& schedule);

}  // namespace ein::scheduler
