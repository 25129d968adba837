// What is predicted of the buffers of a host beside a device (device_traffic.hpp), chosen in one place. None of it
// changes what is computed.
// Example: of 8 GiB of blocks that pass through the host, 1 GiB more is taken for gaps between buffers.
#pragma once

#include <cstdint>

namespace ein::schedule::tuning {

/// One part in so many more, for gaps between buffers. Chosen.
inline constexpr std::int64_t gaps_between_buffers = 8;
/// Buffers of the largest size more, at most once more what blocks have: in a run sends end later than in the
/// schedule's order, and receives begin earlier. Chosen.
inline constexpr std::int64_t removed_later = 4;
/// Messages for blocks on the device that are there at once. Chosen.
inline constexpr std::int64_t arriving_at_once = 16;

}  // namespace ein::schedule::tuning
