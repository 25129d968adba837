// The dtypes of statistics: integers give f64, as in NumPy, and what lies between input and result is never f16 or
// bf16. Example: the mean of i32 is f64; that of f16 is f16, but its sum is kept in f32.
#pragma once

#include <array>

#include "lib/base/dtype.hpp"

namespace ein::graph {

inline DType as_float(DType type) {
    return kind(type) == Kind::integer || kind(type) == Kind::boolean ? DType::f64 : type;
}

inline DType real_part(DType type) { return type == DType::c64 ? DType::f32 : type == DType::c128 ? DType::f64 : type; }

/// The type of sums, maxima and means on the way from `input` to `output`.
inline DType between(DType input, DType output) { return compute_dtype(std::array{as_float(input)}, output); }

}  // namespace ein::graph
