// Whole numbers that stop at the largest instead of wrapping: counts of what loops may do, whose iterations a user
// bounds as loosely as they like. Example: saturating_product(INT64_MAX, 2) == INT64_MAX.
#pragma once

#include <cstdint>
#include <limits>

namespace ein {

/// @param a, b  not negative
inline std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

}  // namespace ein
