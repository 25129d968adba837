// A schedule made to run in less memory than its tasks hold at their peak: blocks go to disk and come back. Whenever a
// task's blocks would not fit, those whose next use is furthest away leave (Belady's rule, by bytes): a `spill` writes
// them, and before their next use a `fetch` makes a new block of the same elements, which later readers and writers
// name instead. A block whose elements are on disk already leaves without another write. What each rank does is worked
// out from its own section alone. Where blocks lie on disk, and when their place is free again, is left to who runs the
// tasks: a place is free after the last fetch that comes after its spill, by counting. Example: load X, load Y, apply Z
// = 2 X, apply W = Y + Z (8 bytes each, budget 16): load X, spill X, load Y, spill Y, fetch X, apply Z, ... Source:
// Belady, A study of replacement algorithms for a virtual-storage computer, 1966.
#pragma once

#include <cstdint>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Bytes of the task that needs most: its inputs and its output must be in memory together. Sections with loops do not
/// spill: their peak.
std::int64_t smallest_budget(Section const& section);
std::int64_t smallest_budget(Schedule const& schedule);  // of the rank that needs most

/// The same work on at most `budget` bytes of blocks (see replay). Loads and stores may change places among themselves.
/// @param section  verified; it may have spills already
/// @param budget  bytes, at least smallest_budget(section)
Section with_spills(Section const& section, std::int64_t budget);

/// All ranks that need more; predicted peaks follow.
Schedule with_spills(Schedule schedule, std::int64_t budget);

}  // namespace ein::schedule
