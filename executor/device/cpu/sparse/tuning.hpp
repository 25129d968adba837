// From what size on the CPU's sparse kernels work otherwise. All but one were chosen and not measured.
// Example: a row of 1000 outputs has an accumulator for each, a row of 10^9 for those that are met.
#pragma once

#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::executor::sparse_tuning {

/// Accumulators that are reserved together where they are found by hashing.
inline constexpr std::size_t hashed_plate = 1024;
/// Accumulators of a row of a sparse output that are all there, met or not.
inline constexpr std::uint64_t direct_slots = 1 << 16;
/// Points of a piece, roughly, and pieces.
inline constexpr std::uint64_t points_of_a_piece = 1 << 14;
inline constexpr std::int64_t most_pieces = 64;
/// Outputs of a kernel that is cut by what is listed: each piece has all of them. May change bits.
inline constexpr Extent most_partial_outputs = 4096;
/// Elements of such a piece. May change bits.
inline constexpr std::uint64_t elements_of_a_partial = 1 << 14;
/// Outputs of a piece of a label that is not in what is walked.
inline constexpr Extent outputs_of_a_piece = 2048;
/// Rows of a product with a vector that are computed at a time.
inline constexpr Extent rows_a_call = 1024;
/// Values of a sparse operand that are brought to another type together: they stay in the first-level cache.
inline constexpr std::uint64_t brought_together = 1 << 12;
/// Elements of dense operands that are copied, to have another type or to run another way, for each point.
inline constexpr std::size_t copied_a_point = 8;
/// Elements that are gone through by merging for each that decides, at most.
inline constexpr std::size_t merged_a_point = 32;
/// Runs of points between two calls of WorkerTeam::pause.
inline constexpr int runs_a_pause = 4096;

}  // namespace ein::executor::sparse_tuning
