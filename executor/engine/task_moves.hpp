// What tasks that only move elements ask of a device.
#pragma once

#include "executor/device/accelerator.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

// All but the addresses.

/// Into a call whose memory is reused.
void describe(schedule::Header const& header, schedule::Section const& section, schedule::Copy const& copy,
              CopyCall& call);
ReshapeCall describe(schedule::Header const& header, schedule::Section const& section,
                     schedule::Reshape const& reshape);
ReshapeCall describe(schedule::Header const& header, schedule::Section const& section, schedule::Pack const& pack);
ReshapeCall describe(schedule::Header const& header, schedule::Section const& section, schedule::Unpack const& unpack);

/// Before the run: the device may make itself ready for the section's moves. Of tasks that are nearly alike only some
/// are named.
void expect_moves(schedule::Header const& header, schedule::Section const& section, Accelerator& device);

}  // namespace ein::executor
