// How long a rank that fails or waits is listened to, and how much a report names, in one place: set for launchers,
// hosts and readers, none measured. None of it changes what is computed. Example: ranks that were asked to explain a
// stall have tuning::time_to_explain seconds; then the run is given up.
#pragma once

#include <cstddef>

namespace ein::executor::tuning {

// Last words (crash_handler.hpp).

/// Milliseconds that a signal's handler waits for them: a launcher that ends ranks kills them a second after SIGTERM.
inline constexpr int time_for_last_words = 700;
/// Milliseconds after which it looks again whether that time is over.
inline constexpr int between_looks_at_answer = 50;

// Stalls (stall_detector.hpp, stall_report.hpp).

/// Seconds that ranks have to explain what they wait for: a living rank reads its notes each second.
inline constexpr double time_to_explain = 3;
/// Ranks that a message names as silent; the others are counted.
inline constexpr std::size_t most_silent_named = 8;
/// Receives that a rank's report names; the others are counted.
inline constexpr int most_receives_named = 4;

}  // namespace ein::executor::tuning
