// Rows of the second of two sparse operands that a row of the first meets, one for each of its elements; those that are
// met soon are asked for. Example: a row of the first whose elements have the terms 3 and 9 meets rows 3 and 9.
#pragma once

#include <algorithm>

#include "executor/device/cpu/sparse/sparse_source.hpp"

namespace ein::executor {

inline void fetch_row(void const* from, std::size_t bytes) {
    constexpr std::size_t most = 128;
    auto const* const begin = static_cast<std::byte const*>(from);
    std::size_t const end = std::min(bytes, most);
    for (std::size_t b = 0; b < end; b += 64) __builtin_prefetch(begin + b);
    __builtin_prefetch(begin + end);  // rows begin anywhere in a line
}

/// visit(element of the first, its products: elements of the second)
/// @param values  of the second, as if from element 0 on; null: they are not read
template <class T, class Visit>
void for_each_product_row(SparseSource const& first, SparseSource const& second, Extent row, T const* values,
                          Visit&& visit) {
    constexpr std::size_t ahead = 24;
    std::uint32_t const *const terms = first.narrow_indices(1), *const columns = second.narrow_indices(1);
    SparseSource::Range const range = first.row(row);
    for (std::size_t e = range.begin; e < range.end; ++e) {
        if (e + ahead < first.all().end) {
            SparseSource::Range const soon = second.row(terms[e + ahead / 2]);
            __builtin_prefetch(second.offsets() + terms[e + ahead]);
            fetch_row(columns + soon.begin, (soon.end - soon.begin) * sizeof(std::uint32_t));
            if (values != nullptr) fetch_row(values + soon.begin, (soon.end - soon.begin) * sizeof(T));
        }
        visit(e, second.row(terms[e]));
    }
}

}  // namespace ein::executor
