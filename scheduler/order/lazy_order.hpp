// The order of tasks that may wait: each stands right before the first task that reads what it makes. Kernel calls that
// were made subblock by subblock, node by node, so come subblock by subblock: all that one subblock needs, then what
// sends it, then the next. Example, with * for those that may wait: {P0* P1* Q0* Q1* S0 S1}, where Qi reads Pi and Si
// reads Qi, becomes {P0 Q0 S0 P1 Q1 S1}.
#pragma once

#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/order/sends_first.hpp"

namespace ein::scheduler {

/// Tasks that may wait and read one another's blocks are a pipeline: it is reordered as a whole, or, where that would
/// raise the section's peak by more than a twentieth (within_peak: at all), not at all. What nobody reads stays where
/// it is.
/// @param may_wait  tasks, ascending, whose outputs are read in the same loops only, and written by no others
/// @param node_begins  of each node its first task, ascending; kept up to date  @param room  for the peak
/// @return of each node begin whether a task that stood before it stands behind it now
std::vector<bool> order_lazily(schedule::Section& section, std::vector<TaskId> const& may_wait,
                               std::vector<TaskId>& node_begins, Room room);

}  // namespace ein::scheduler
