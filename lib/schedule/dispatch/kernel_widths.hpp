// How many threads each kernel, and each load, should be cut for. Worked out from the schedule alone, so that a run is
// cut the same way every time: a task gets the share of the threads that its work has among tasks that stand at the
// same depth, and at least one; a large one all of them. Example: on 4 threads, two equal kernels at one depth get 2
// each; one large and ten tiny ones: 4 and 1 each.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// @return a width of 1 to `threads` for each task; empty when there is one thread
Table<TaskId, std::int16_t> kernel_widths(Header const& header, Section const& section, int threads);

}  // namespace ein::schedule
