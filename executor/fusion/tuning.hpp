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

// Limits of the search.

/// Operations of a join that is searched for parts that others have too.
inline constexpr std::size_t most_join_nodes = 100;

}  // namespace ein::executor::tuning
