// Sizes in which messages travel, in one place. "Measured" was timed beside other values (docs/performance.md);
// "chosen" was set and not measured. None of it changes how many bytes a schedule says. Example: a block of 600 MiB is
// sent in three messages of at most tuning::largest_message bytes.
#pragma once

#include <cstddef>

namespace ein::executor::tuning {

/// Bytes of one MPI message, whose count is an int. Chosen.
inline constexpr std::size_t largest_message = std::size_t{256} << 20;
/// Bytes of a TCP connection's send buffer in Open MPI and of the parts in which it hands a large message over, three
/// at once, as its settings want them: what answers of the other direction wait behind. Measured: exchanges over 100
/// Mbit/s to 1 Gbit/s take 5 to 25 % less with them than with 262144 and 131072, over 10 Gbit/s as long.
inline constexpr char const* send_buffer = "131072";
inline constexpr char const* message_part = "32768";
/// Bytes that one poll of ranks within a process moves of one message. Chosen: so that messages end one by one.
inline constexpr std::size_t loopback_chunk = 1 << 20;

}  // namespace ein::executor::tuning
