// Rows cut into pieces of about as much work each, a function of what the rows list and of nothing else.
// Example: of 100 rows of which the first lists half of all, the first is a piece of its own.
#pragma once

#include <algorithm>
#include <vector>

#include "executor/device/cpu/sparse/tuning.hpp"

namespace ein::executor {

/// @param before  the work of all rows before one, ascending  @param least  of a piece
/// @return where pieces begin, and at last `rows`
template <class Before>
std::vector<Extent> cut_rows(Extent rows, Before&& before, std::uint64_t least) {
    std::uint64_t const all = before(rows);
    auto const pieces = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(all / least), 1,
                                 std::min<std::int64_t>(sparse_tuning::most_pieces, std::max<Extent>(rows, 1))));
    std::vector<Extent> bounds{0};
    for (std::uint64_t piece = 1; piece < pieces; ++piece) {
        Extent low = bounds.back(), high = rows;
        while (low < high) {
            Extent const middle = low + (high - low) / 2;
            if (before(middle) < all / pieces * piece)
                low = middle + 1;
            else
                high = middle;
        }
        bounds.push_back(low);
    }
    bounds.push_back(rows);
    return bounds;
}

}  // namespace ein::executor
