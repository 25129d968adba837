// Batches of matrix products in any semiring, in memory, one thread: c[b,i,j] = plus over k of times(a[b,i,k],
// b[b,k,j]). A tile of the result is kept in registers while k runs; that is all the tuning it has. Shares no code with
// devices: it is there to check them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/relation/pairwise/semiring.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {

struct ProductShape {
    std::size_t batch = 1, rows = 1, inner = 1, columns = 1;
};

namespace multiply_detail {

using tuning::tile_columns;
using tuning::tile_rows;
using tuning::tile_terms;

/// One tile: `rows` rows of a (each `a_step` apart) by a packed panel, added to c.
template <class S, std::size_t rows>
void tile(typename S::Element const* a, std::size_t a_step, typename S::Element const* panel, std::size_t inner,
          typename S::Element* c, std::size_t c_step, std::size_t columns) {
    using T = typename S::Element;
    T sums[rows][tile_columns];
    for (auto& row : sums)
        for (T& sum : row) sum = S::zero();
    for (std::size_t k = 0; k < inner; ++k)
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < tile_columns; ++j)
                sums[i][j] = S::plus(sums[i][j], S::times(a[i * a_step + k], panel[k * tile_columns + j]));
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) c[i * c_step + j] = S::plus(c[i * c_step + j], sums[i][j]);
}

template <class S>
void multiply_one(typename S::Element const* a, typename S::Element const* b, typename S::Element* c,
                  ProductShape const& shape, std::vector<typename S::Element>& panel) {
    for (std::size_t k = 0; k < shape.inner; k += tile_terms) {
        std::size_t const inner = std::min(tile_terms, shape.inner - k);
        for (std::size_t j = 0; j < shape.columns; j += tile_columns) {
            std::size_t const columns = std::min(tile_columns, shape.columns - j);
            for (std::size_t q = 0; q < inner; ++q)
                for (std::size_t r = 0; r < columns; ++r)
                    panel[q * tile_columns + r] = b[(k + q) * shape.columns + j + r];
            std::size_t i = 0;
            for (; i + tile_rows <= shape.rows; i += tile_rows)
                tile<S, tile_rows>(a + i * shape.inner + k, shape.inner, panel.data(), inner, c + i * shape.columns + j,
                                   shape.columns, columns);
            for (; i < shape.rows; ++i)
                tile<S, 1>(a + i * shape.inner + k, shape.inner, panel.data(), inner, c + i * shape.columns + j,
                           shape.columns, columns);
        }
    }
}

}  // namespace multiply_detail

/// @param c  batch x rows x columns elements, which are overwritten
template <class S>
void multiply(typename S::Element const* a, typename S::Element const* b, typename S::Element* c,
              ProductShape const& shape) {
    using T = typename S::Element;
    std::vector<T> panel(std::min(tuning::tile_terms, shape.inner) * tuning::tile_columns, S::zero());
    std::fill_n(c, shape.batch * shape.rows * shape.columns, S::zero());
    for (std::size_t n = 0; n < shape.batch; ++n) {
        T const *left = a + n * shape.rows * shape.inner, *right = b + n * shape.inner * shape.columns;
        T* const to = c + n * shape.rows * shape.columns;
        if (shape.rows * shape.columns == 1)
            for (std::size_t k = 0; k < shape.inner; ++k) *to = S::plus(*to, S::times(left[k], right[k]));
        else
            multiply_detail::multiply_one<S>(left, right, to, shape, panel);
    }
}

}  // namespace ein::relation
