// A sparse block that would list more than it has room for: the room was reserved for what the data listed when the
// schedule was made. Kernels and moves say how many elements there are; this says whose, where, and what to do.
// Example: "node 'C', elements [0:40, 0:40]: expected at most 98 listed, as when the schedule was made, found 110;
// plan again with this data: einplan (of the data that was planned, this is a bug in Einloom)".
#pragma once

#include "lib/base/error.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::executor {

/// @param task  the one whose result it is
Fault room_fault(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task,
                 tensor::SparseRoomError const& error);

}  // namespace ein::executor
