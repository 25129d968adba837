// Sizes in which files are read and written: what describes a disk, its system and the caches, in one place. All were
// chosen and not measured one by one. None of it changes what is read.
// Example: two pieces of a file with tuning::read_gap bytes between them are read at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::tensor::tuning {

/// Bytes of one call of the system: Linux moves 2 GiB at most.
inline constexpr std::size_t most_at_once = std::size_t{1} << 30;
/// Bytes between pieces that are read as one: about what one more system call costs.
inline constexpr std::size_t read_gap = 4 << 10;
/// Bytes that pieces are gathered to.
inline constexpr std::size_t read_window = 1 << 20;
/// Pieces that are listed before they are read.
inline constexpr std::size_t most_pieces = 1 << 14;
/// Bytes of a run that is read straight into place.
inline constexpr std::size_t large_run = 64 << 10;
/// Bytes that are read and transposed at a time: they stay in the caches.
inline constexpr Extent transposed_bytes = 4 << 20;
/// Elements, a cache line or more, along the axis that ends up innermost.
inline constexpr Extent transposed_edge = 16;
/// Elements of the edge of squares in which a transpose reads and writes whole cache lines.
inline constexpr Extent transposed_square = 32;
/// Elements that are converted before they are written.
inline constexpr std::size_t converted_elements = 64 << 10;

// Sparse tensors.

/// Cells of the histograms of where listed elements lie, at most.
inline constexpr std::int64_t histogram_cells = 64 << 10;
/// Elements that are looked through at a time for those that are listed.
inline constexpr Extent listed_at_once = 1 << 18;
/// Bytes of lines that are read and parsed at a time; no line is longer.
inline constexpr std::size_t text_chunk = 1 << 20;
/// Parts of a text file that cores look through at once: each has a histogram of its own.
inline constexpr std::uint64_t most_index_parts = 64;
/// Bytes before the first element of a text file.
inline constexpr std::size_t most_text_header = 16 << 20;
/// Bytes of a file whose index is worth keeping.
inline constexpr std::uint64_t least_indexed_bytes = 4 << 20;
/// Bytes of a file that is kept in memory as a whole once any of it is read.
inline constexpr std::uint64_t kept_file_bytes = 4 << 20;
/// Cells in which the boxes of an element are looked up.
inline constexpr Extent most_gather_cells = 1 << 20;

// Packed archives.

/// Bytes between places in the unpacked file from which reading may begin.
inline constexpr std::uint64_t access_distance = 1 << 20;
/// Packed bytes that are read at a time.
inline constexpr std::size_t packed_bytes = 64 << 10;

}  // namespace ein::tensor::tuning
