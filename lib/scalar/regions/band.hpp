// Conditions that choose by the difference of two indices: a causal mask, a window, a triangle. Leaves other regions to
// ranges.hpp. Example: [i] - [k] < 256 && [k] <= [i] of labels i and k is true where -255 <= k - i <= 0.
#pragma once

#include <optional>

#include "lib/base/box.hpp"
#include "lib/scalar/expression/expr.hpp"
#include "lib/scalar/regions/ranges.hpp"

namespace ein::scalar {

/// Where least <= [column] - [row] <= most, of two labels or two axes.
struct Band {
    static constexpr Extent far = Extent{1} << 50;  // beyond all indices
    int row = 0, column = 1;
    Extent least = -far, most = far;
    friend bool operator==(Band const&, Band const&) = default;

    /// Whether no indices of these ranges lie in it.
    bool misses(IndexRange rows, IndexRange columns) const {
        return columns.end - 1 - rows.begin < least || columns.begin - (rows.end - 1) > most;
    }
    /// The columns of a row in it, of those that there are.
    IndexRange columns_of(Extent of_row, IndexRange columns) const;
    /// The same band under other names; the lower one is its row.
    Band renamed(int to_row, int to_column) const;
};

/// Where a condition on two labels and nothing else is true, or false; the lower label is the row.
std::optional<Band> as_band(Expr const& condition, bool where_true);

}  // namespace ein::scalar
