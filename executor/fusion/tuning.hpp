// From what size on kernels run together tile by tile, and how far the search for them goes: what describes a machine,
// in one place. "Measured" was timed beside other values (docs/performance.md); "chosen" was set and not measured. None
// of it changes bits but through which kernels run together.
// Example: a group whose blocks have less than tuning::least_group_bytes is in the cache anyway and stays single tasks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::executor::tuning {

/// Bytes of all blocks of a piece, which are in the second-level cache together with what kernels need beside them.
/// Chosen.
inline constexpr double bytes_of_a_group_piece = 320 << 10;
/// Bytes of a group's inner blocks: smaller ones are in the cache anyway. Chosen.
inline constexpr double least_group_bytes = 4 << 20;
/// Rows of a piece of a product, for which its other operand is packed again. Chosen.
inline constexpr Extent least_product_rows = 128;
/// Operations an element of a product whose elements stay in the group: beyond, memory hardly counts. Chosen.
inline constexpr double most_flops_an_element = 600;
/// Runs of neighbouring pieces for each thread: few enough that each brings the next one's operands, enough that
/// threads end together. Chosen.
inline constexpr std::int64_t runs_a_thread = 8;

// Limits of the search.

/// Tasks of a group.
inline constexpr std::size_t most_group_tasks = 16;
/// Tasks from the first to the last of a group, in the schedule.
inline constexpr std::int32_t most_group_distance = 4096;
/// Operations of a join that is searched for parts that others have too.
inline constexpr std::size_t most_join_nodes = 100;

}  // namespace ein::executor::tuning
