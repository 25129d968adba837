// What a schedule promises, checked where it is written and where it is read.
#pragma once

#include <string>
#include <vector>

#include "lib/schedule/schedule.hpp"

namespace ein::schedule {

/// Checks one rank's section against the header: indices in range, boxes inside tensors, readers and writers as counted, operands
/// cover what kernels read, every block written before it is read, loads first and stores last.
/// @return what is wrong, a line each (at most 20); empty when sound
std::vector<std::string> faults_of(Header const& header, Section const& section, Rank rank);

/// Checks all ranks together: each message has its sender, receiver and size; the lists in order end on all ranks; predictions hold.
std::vector<std::string> faults_of(Schedule const& schedule);

}  // namespace ein::schedule
