// How kernels that run together tile by tile share threads, and how far the search for common parts goes. "Measured"
// was timed beside other values (docs/performance.md); "chosen" was set and not measured. Which kernels run together,
// and the sizes of pieces, the schedule says (scheduler/fusion). Example: a team of two threads gets
// tuning::runs_a_thread * 2 runs of neighbouring pieces.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::executor::tuning {

/// Runs of neighbouring pieces for each thread: few enough that each brings the next one's operands, enough that
/// threads end together. Chosen.
inline constexpr std::int64_t runs_a_thread = 8;

/// Lengths of a clipped label: so many at most, since each has kernels of its own. Chosen: half of one is computed in
/// vain.
inline constexpr Extent most_clipped_lengths = 32;
/// The same of what is left of a label at the end of pieces of it.
inline constexpr Extent most_carried_lengths = 8;
/// Clipped lengths, and what is masked, are multiples of so many elements, as vectors and tiles like them. Chosen.
inline constexpr Extent clip_grain = 16;
/// The share of a group's work that must be left out for pieces to be clipped. Chosen.
inline constexpr double least_clipped_share = 0.05;

// Limits of the search.

/// Operations of a join that is searched for parts that others have too.
inline constexpr std::size_t most_join_nodes = 100;

}  // namespace ein::executor::tuning
