// Which dtype the elements of a raw file look like, where they hardly are of the one that is declared. A raw file says
// nothing of itself: read as a wrong dtype it gives numbers all the same, with exponents all over. Speaks up only where
// the declared dtype makes odd numbers and another makes plain ones; looks at the first elements alone.
// Example: f32 numbers around 1 that are read as f64 lie between 1e-20 and 500; as f32 between 0.01 and 3.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"

namespace ein::tensor {

/// Bytes that are worth looking at.
inline constexpr std::size_t likely_dtype_bytes = 16 << 10;

/// What elements may be, and the numbers that they then are: "-3.1 to 2.9".
struct LikelyDType {
    DType dtype;
    bool other_byte_order = false;
    std::string numbers, declared_numbers;
};

/// @param bytes  the first elements, little-endian  @param shape  of all of them
std::optional<LikelyDType> likely_dtype(std::span<std::byte const> bytes, DType declared, Shape const& shape);

}  // namespace ein::tensor
