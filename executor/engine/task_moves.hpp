// What tasks that only move elements ask of a device.
#pragma once

#include "executor/device/accelerator.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// Of a copy task, but for the addresses, into a call whose memory is reused.
void describe_copy(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task,
                   CopyCall& call);
/// Of a reshape, pack or unpack task, but for the addresses.
ReshapeCall describe_reshape(schedule::Header const& header, schedule::Section const& section,
                             schedule::Task const& task);

/// Before the run: the device may make itself ready for the section's moves. Of tasks that are nearly alike only some are told.
void expect_moves(schedule::Header const& header, schedule::Section const& section, Accelerator& device);

}  // namespace ein::executor
