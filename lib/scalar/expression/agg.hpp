// Aggregations: what an EinSum does over the labels that its output lacks. All are associative and commutative, so
// partial results combine in any grouping; argmin and argmax are lowered to min and max when a graph is read.
// Example: combine(max, 2, 5) is 5; identity(min, f32) is inf; the sum of no elements is 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/dtype.hpp"

namespace ein::scalar {

enum class Agg : std::uint8_t { sum, prod, min, max, any, all, logsumexp };

std::string_view name(Agg agg);
std::optional<Agg> agg_from_name(std::string_view text);

/// The type in which partial results are kept: bool for any and all; f64 for logsumexp of integers;
/// the join's type otherwise (sums of bool are "or", as NumPy's einsum has it).
DType accumulate_dtype(Agg agg, DType join);

}  // namespace ein::scalar
