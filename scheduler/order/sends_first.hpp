// The last touch on a section's order: within a node's tasks, what other ranks wait for is cut before what this rank
// puts together for itself. A rank that first waits for its own pieces keeps the others waiting for theirs, and links
// that carry both ways at once carry one. Example: {receive P, copy P to Z, cut Q for rank 1, send Q} becomes {cut Q,
// receive P, copy P to Z, send Q}. Sends stay where they are: they start as soon as their block is there, wherever they
// stand, and lists that pair sends with receives in one order on all ranks are what ends for sure (schedule.hpp). Not
// all cuts of a large exchange are brought to its beginning, only what keeps the links busy: each stands behind the
// sends of cuts so far before it that the ones in between fill a window.
#pragma once

#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

enum class Room { any, within_peak };  // what blocks that are cut earlier may add to the section's peak

/// Brings forward what only sends read, as far as its input and its node's first task allow; within_peak: and the peak
/// of the section as it stood. @param node_begins  of each node its first task, ascending
void sends_first(schedule::Section& section, std::vector<TaskId> const& node_begins, Room room,
                 std::int64_t window = tuning::cut_window);

}  // namespace ein::scheduler
