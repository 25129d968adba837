// How much of what threads did is kept, and in what portions, in one place: chosen, not measured. None of it changes
// what is computed. Example: the flight record of a rank that fails has its last tuning::recorded_events tasks and
// transfers.
#pragma once

#include <cstddef>

namespace ein::executor::tuning {

/// Events of a thread's ring: as many as its flight record may have, and a power of two.
inline constexpr std::size_t ring_events = 1024;
/// Ended tasks and transfers in a rank's flight record.
inline constexpr std::size_t recorded_events = 1000;
/// Seconds that a rank waits until another has put its record into their folder: of the 0.7 s that a signal leaves it.
inline constexpr double seconds_for_a_folder = 0.4;
/// Events of a portion of a log that keeps all.
inline constexpr std::size_t events_a_chunk = 1 << 14;
/// Bytes of a trace's text that are written at once.
inline constexpr std::size_t flushed_bytes = std::size_t{4} << 20;
/// Questions about rank 0's clock, of which the one that was answered fastest counts.
inline constexpr int clock_questions = 20;

}  // namespace ein::executor::tuning
