// Sizes in which blocks' memory is taken and moved: what describes a host and its devices, in one place. "Measured" was
// timed beside other values (docs/performance.md); "chosen" was set and not measured. None of it changes what is
// computed, or how many bytes a schedule says.
// Example: of a block of 16 MiB that leaves a device, the first tuning::copied_piece bytes may be sent while the rest
// is copied.
#pragma once

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

/// Bytes of pinned memory that are asked of the device at a time: the first time, doubled up to the largest (unless one
/// buffer is larger). Chosen.
inline constexpr std::int64_t first_pinned = std::int64_t{1} << 20, largest_pinned = std::int64_t{64} << 20;
/// Bytes of a copy to the host whose beginning is sent while its end is copied. Chosen.
inline constexpr std::int64_t copied_piece = std::int64_t{4} << 20;
/// Kernels between two marks on the compute stream, where nothing asks for more. Chosen.
inline constexpr std::int64_t marked_kernels = 16;
/// Marks that the host may be ahead of the device. Chosen.
inline constexpr std::size_t most_marks = 4096;
/// Bytes of the message that probes whether messages reach a device's memory: beyond what MPI sends without asking.
inline constexpr std::int64_t probe_bytes = std::int64_t{1} << 20;

}  // namespace ein::executor::tuning
