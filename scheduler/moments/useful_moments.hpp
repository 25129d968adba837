// Which of the moments that lowering marks are kept: those at which every rank has done the same nodes, all of them
// whole, and has something to do since the one before, and before an iteration ends.
// Example: moments before nodes 0, 1 and 2, where node 1 is an identity that makes no task on any rank: those before 0
// and 2 are kept, since at the latter more is done than at that before 1.
#pragma once

#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

/// Takes the others out of the header and of every section.
/// @param parted  moments that a rank passes with tasks of a node undone (lazy_order.hpp)
void keep_useful_moments(schedule::Header& header, Table<Rank, schedule::Section>& sections,
                         std::vector<schedule::MomentId> const& parted);

}  // namespace ein::scheduler
