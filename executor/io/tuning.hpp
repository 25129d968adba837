// Sizes of what is read and written at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::executor::tuning {

/// Bytes of a block that one thread loads, at the least, and how many parts are made for each thread. Chosen.
inline constexpr std::size_t least_loaded_bytes = std::size_t{1} << 20;
inline constexpr std::int64_t loaded_parts_a_thread = 4;
/// Dense bytes at a time of a sparse output that is written as a dense one. Chosen.
inline constexpr std::size_t most_slab_bytes = std::size_t{8} << 20;

}  // namespace ein::executor::tuning
