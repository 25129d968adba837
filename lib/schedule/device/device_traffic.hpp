// What one rank copies between the host and a device whose memory holds only some of its blocks: a run without bytes,
// in the schedule's order. A loop is run for two iterations: all after the first are counted as the second. Example:
// layers of 1 GiB that pass twice through 2 GiB are copied in twice, and nothing is evicted that the host has.
#pragma once

#include "lib/schedule/device/device_memory.hpp"
#include "lib/schedule/memory/replay.hpp"

namespace ein::schedule {

/// @param capacity  bytes, at least the largest working set's  @param direct  messages need not pass through the host
/// @param iterations  of each of the section's loops; empty: as many as there may be
DeviceTraffic device_traffic(Header const& header, Section const& section, std::int64_t capacity, bool direct = false,
                             IterationCounts iterations = {});

/// Bytes of buffers in the host that such a run needs at once, in any order that is near the schedule's: those of the
/// blocks, what else arrives for blocks on the device, and some for gaps between them.
std::int64_t host_buffer_bytes(Header const& header, Section const& section, std::int64_t capacity);

}  // namespace ein::schedule
