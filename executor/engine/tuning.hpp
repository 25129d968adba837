// How long the engine's threads look and wait: what describes a machine and its links, in one place. "Measured" was
// timed beside other values (docs/performance.md); "chosen" was set and not measured. None of it changes what is
// computed or sent.
// Example: a worker with nothing to do polls the transfers without a pause for tuning::awake seconds, then naps between
// polls.
#pragma once

#include <chrono>
#include <cstddef>

namespace ein::executor::tuning {

// Transfers, while every worker computes: the progress thread polls, which takes a core from who computes on it.

/// Seconds between polls: a transfer is late by this share of what it was waited for, and within these bounds. Chosen.
inline constexpr double late = 1.0 / 16, shortest_poll = 1e-4, longest_poll = 1e-3;
/// Polls without a transfer before the thread sleeps until its tick: they come in bursts, and waking up for each would
/// cost more than looking a while. Chosen.
inline constexpr int polls_before_sleep = 50;
/// Seconds between looks at messages from inside a kernel: a link of 10 Gbit/s brings 250 KB in that time. Measured: a
/// chain over 1 Gbit/s takes 5 to 9 % less with them.
inline constexpr double between_looks = 200e-6;

// Transfers, while a worker has nothing else to do.

/// Seconds of polling without a pause, and the nap between polls after that, which delays little and leaves the core to
/// ranks that compute. Chosen.
inline constexpr double awake = 10e-3;
inline constexpr auto nap = std::chrono::microseconds(20);
/// The same in a barrier: who is late by more than a moment is waited for without burning a core that it may need.
/// Chosen.
inline constexpr double barrier_awake = 1e-3;
inline constexpr auto barrier_nap = std::chrono::microseconds(50);

/// Seconds of a worker's kernels, on average, from which it asks how much of them it had a core: that is two system
/// calls a kernel. Chosen: less than a hundredth.
inline constexpr double asks_for_cores = 50e-6;

/// Copies and reshapes of one kind and node that a device hears of before the run: their lengths differ, hardly their
/// kernels. Chosen.
inline constexpr int most_alike_moves = 64;

}  // namespace ein::executor::tuning
