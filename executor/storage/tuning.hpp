// Sizes in which blocks' memory is taken and moved: what describes a host and its devices, in one place. "Measured" was
// timed beside other values (docs/performance.md); "chosen" was set and not measured. None of it changes what is
// computed, or how many bytes a schedule says.
// Example: of a block of 16 MiB that leaves a device, the first tuning::copied_piece bytes may be sent while the rest
// is copied.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ein::executor::tuning {

// The host.

/// Bytes of a huge page of x86-64 and ARM; sizes of large blocks are multiples of it.
inline constexpr std::int64_t huge_page = std::int64_t{2} << 20;
/// Bytes of a page that the kernel counts in, at the least.
inline constexpr std::int64_t small_page = 4096;
/// Bytes of addresses that a process has on today's machines (47 bits).
inline constexpr std::int64_t most_addressable = std::int64_t{1} << 47;

// Devices with memory of their own.

/// Bytes of a piece of pinned memory that is taken before the run, at the most (unless one buffer is larger); where
/// more is needed, pieces of at least half as many: the system takes long for each. Chosen.
inline constexpr std::int64_t pinned_slab = std::int64_t{1} << 30;
/// Bytes of pinned memory that are asked of the device at a time in the run, where more is needed than was predicted:
/// the first time, doubled up to the largest (unless one buffer is larger). Chosen.
inline constexpr std::int64_t first_pinned = std::int64_t{1} << 20, largest_pinned = std::int64_t{256} << 20;
/// Bytes of a copy to the host whose beginning is sent while its end is copied, and such pieces of one block at the
/// most. Chosen.
inline constexpr std::int64_t copied_piece = std::int64_t{4} << 20, most_pieces = 64;
/// Kernels between two marks on the compute stream, where nothing asks for more. Chosen.
inline constexpr std::int64_t marked_kernels = 16;
/// Launches of kernels, and copies of each direction, that the host may be ahead of the device. A driver holds about
/// 1000 things a stream, waits and marks among them; whoever asks for more waits, with whatever locks it holds. Chosen.
inline constexpr std::int64_t most_launches_ahead = 256, most_copies_ahead = 128;
/// Bytes of the messages that probe whether messages reach a device's memory: one that MPI sends without asking, and
/// one for which it uses every way that it has for large ones. Chosen.
inline constexpr std::int64_t small_probe = 1024, large_probe = std::int64_t{16} << 20;
/// How long such a message may take: beyond that it will not arrive. Chosen.
inline constexpr auto most_probing = std::chrono::seconds(60);

}  // namespace ein::executor::tuning
