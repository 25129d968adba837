// What a schedule promises, checked where it is written and where it is read: a damaged file is refused, never
// followed. Each function returns what is wrong, a line each (at most 20); nothing when sound.
#pragma once

#include <string>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// The header alone: indices in range, shapes that can be, kernels whose labels exist.
std::vector<std::string> faults_of(Header const& header);

/// One rank's section against a sound header: indices in range, boxes inside tensors, readers and writers as counted,
/// operands that cover what kernels read, every block written before it is read, loads first and stores last, every
/// fetch after a spill of such a block.
std::vector<std::string> faults_of(Header const& header, Section const& section, Rank rank);
/// Of a section that has no other faults: what its loops leave from iteration to iteration.
std::vector<std::string> faults_of_loops(Header const& header, Section const& section, Rank rank);

/// All ranks together: each message has its sender, receiver and size; the lists in order end on all ranks; predictions
/// hold.
std::vector<std::string> faults_of(Schedule const& schedule);

}  // namespace ein::schedule
