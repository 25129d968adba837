// Conditions that let the terms up to a place, or from one on, through: affine comparisons of two indices. Leaves other
// regions to ranges.hpp. Example: [i] - [j] > 2, of terms j, is j <= i - 3: a prefix with offset -3.
#pragma once

#include <optional>

#include "lib/base/box.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// Of output i the terms j with j <= i + offset, or of a suffix j >= i + offset.
struct Prefix {
    int output = 0;  // the label i
    Extent offset = 0;
    bool is_suffix = false;
};
/// @param term  the label j  @param where_true  whether terms are let through where the condition is true, or false
std::optional<Prefix> as_prefix(Expr const& condition, int term, bool where_true);

}  // namespace ein::scalar
