// What a schedule's memory, transfers and threads are given, in one place: what describes machines and their links.
// "Measured" was timed beside other values (docs/performance.md); "chosen" was set and not measured. Engine and
// simulator take the same values, so that what is simulated is what runs.
// Example: while receives posted ahead have less than tuning::receive_bytes together, another one may be posted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::schedule::tuning {

// Memory (memory/room.hpp).

/// The part of its peak that a rank may hold beside it, so that it need not wait for messages. Measured: loops of small
/// results take 10 to 20 % less time, with eight times as much no less
/// (docs/decisions/0163-room-for-those-that-wait.md).
inline constexpr std::int64_t room_part = 64;

// Transfers (dispatch/dispatcher.hpp).

/// Sends and receives that are under way at a time. Chosen.
inline constexpr std::int64_t most_sends = 256, most_receives = 256;
/// Bytes of receives posted ahead. Chosen.
inline constexpr std::int64_t receive_bytes = std::int64_t{256} << 20;
/// Bytes of sends to one rank that are under way; one message may be larger. Chosen: messages
/// that are open together arrive together, and late.
inline constexpr std::int64_t peer_bytes = std::int64_t{4} << 20;
/// Iterations after which a rank waits for those that it sends to. Chosen.
inline constexpr std::int64_t iterations_ahead = 16;
/// Moments that may be passed, in a run that may be stopped, before what is in front of them is done: a rank that waits
/// computes what is ready behind them. The more, the more it computes, and the later the run comes to a stop. Chosen.
inline constexpr std::int64_t moments_ahead = 4;

// Threads (dispatch/kernel_widths.hpp).

/// Elements for each thread from which a task is cut for all threads: its neighbours may wait for messages, and where
/// they do not, one after the other is as good as side by side. Chosen.
inline constexpr double elements_for_all_threads = 1 << 20;
/// The same of additions of partial results, passes over memory of 0.02 ms each and more: at their depth stand products
/// of a thousand times as many elements, beside which they would get one thread, while what they are added to waits.
/// Chosen.
inline constexpr double summands_for_all_threads = 1 << 13;

// Producer fusion (device/producer_fusion.hpp): what is computed again must cost less than writing and reading it.

/// Operands of a kernel that takes others in. Chosen.
inline constexpr std::size_t most_fused_operands = 6;
/// Readers that compute the same again. Chosen.
inline constexpr std::size_t most_fused_readers = 3;
/// Operations of a join that others were put into. Chosen.
inline constexpr std::size_t most_fused_operations = 256;

/// Bytes of which places in a device's memory are multiples.
inline constexpr std::int64_t device_alignment = 256;

}  // namespace ein::schedule::tuning
