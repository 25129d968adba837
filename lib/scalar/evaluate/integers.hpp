// Integer arithmetic without undefined behaviour: exact where it fits, wrapped as NumPy wraps where it does not.
// Example: wrap(300, u8) is 44; exact_integer(pow, 2, 100) is nothing; integer_mod(-7, 3) is 2.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// The value of an add, sub, mul, mod or pow (exponent >= 0) of int64s if it is one; nothing otherwise or for other
/// operations.
std::optional<std::int64_t> exact_integer(Op op, std::int64_t a, std::int64_t b);

/// Keeps the low bits of `value` that `type` has; bool is value != 0.
std::int64_t wrap(std::int64_t value, DType type);

/// As NumPy: the sign of the divisor; 0 when that is 0.
std::int64_t integer_mod(std::int64_t a, std::int64_t b);

/// Wraps; a negative exponent gives 0 but for the bases 1 and -1.
std::int64_t integer_pow(std::int64_t base, std::int64_t exponent);

/// Truncates; what no int64 can hold (nan, inf, 1e30) gives 0.
std::int64_t to_integer(double value);

inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace ein::scalar
