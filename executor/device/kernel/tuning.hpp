// From what size on the kernels that devices share are cut for threads, in one place: what describes a machine. All
// were chosen and not measured. None of it changes bits.
// Example: rows of tuning::bytes_of_a_row_piece together are worth a thread.
#pragma once

#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::executor::tuning {

/// Bytes of rows that are looked up or scattered by one thread.
inline constexpr Extent bytes_of_a_row_piece = 1 << 18;
/// Pieces of them.
inline constexpr std::int64_t most_row_pieces = 64;
/// Levels of a join that is searched for a product: deeper ones are none worth finding; it bounds the recursion.
inline constexpr int deepest_product = 64;

}  // namespace ein::executor::tuning
