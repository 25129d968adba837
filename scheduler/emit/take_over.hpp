// Results that take over the memory of an operand which nobody reads afterwards: the new weights that of the old ones,
// a cache with one more row that of the cache. Decided when a section is finished; what may be is said by
// lib/schedule/memory/take_over.hpp.
// Example: load W, ..., G = a product, W_next = W - G, store W_next: W_next has W's memory, and the peak is a W lower.
#pragma once

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

/// @param least_bytes  of the blocks
void take_over(schedule::Header const& header, schedule::Section& section,
               std::int64_t least_bytes = tuning::least_taken_over);

}  // namespace ein::scheduler
