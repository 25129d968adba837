// Makes one task of each fused group of every rank (fused_groups.hpp, lib/schedule/fusion/fold.hpp). Then predicted
// peaks, simulation, spilling and all that follows know what is never there as a whole.
// Example: softmax over j of X[i, j]: three applies and their two inner blocks become one task of X and Z.
#pragma once

#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/fusion/fused_groups.hpp"

namespace ein::scheduler {

/// @return moments that some rank's group spans: no rank can stand still there
std::vector<schedule::MomentId> fuse(schedule::Header& header, Table<Rank, schedule::Section>& sections,
                                     FusionLimits const& limits);

}  // namespace ein::scheduler
