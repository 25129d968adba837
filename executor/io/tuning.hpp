// Sizes of what is read and written at a time.
#pragma once

#include <cstddef>

namespace ein::executor::tuning {

/// Dense bytes at a time of a sparse output that is written as a dense one. Chosen.
inline constexpr std::size_t most_slab_bytes = std::size_t{8} << 20;

}  // namespace ein::executor::tuning
