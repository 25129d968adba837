// Loops of rows of products of a sparse matrix and a sparse or dense one, over two operations (see
// gemm/pair_product.hpp): products and sums, x + y and the least, and the like. Compiled once for each instruction set.
// Example: of joins x + y of which the least is kept, scatter(held, {5}, {2}, 1, 3) makes held[5] at most 5.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executor/device/cpu/gemm/pair_product.hpp"

namespace ein::executor {

template <class T>
struct PairRowLoops {
    using Index = std::uint32_t;
    /// Products that are put in order together, at most.
    static constexpr unsigned number_bits = 8;
    static constexpr std::size_t few = std::size_t{1} << number_bits;
    /// Elements behind those of an array that may be written.
    static constexpr std::size_t padding = 32;

    /// Rows of the first operand, of so few elements and products together, and rows of the second that they meet. A
    /// column's tag is the number of its row, from 0 on, above its `column_bits`.
    struct Rows {
        std::uint64_t const* begins;  // where each row begins, and the end of the last
        std::size_t count;
        std::size_t all;     // elements, of rows behind these too: what they meet may be asked for
        Index const* terms;  // the row that each element meets
        std::uint64_t const* offsets;
        Index const* columns;
        T const* values;  // of the second operand; null: 1
        unsigned column_bits;
    };

    /// What no product was combined with.
    T none{};
    /// held[index[e]] is combined with join(factor, values[e])
    void (*scatter)(T* held, Index const* index, T const* values, std::size_t count, T factor) = nullptr;
    /// held[j] is combined with join(values[e], matrix[index[e]*stride + j]) of each e
    void (*combine_rows)(T* held, std::size_t width, T const* values, Index const* index, std::size_t count,
                         T const* matrix, std::ptrdiff_t stride) = nullptr;
    /// to[columns[c]*step] is combined with held[columns[c]], which becomes `none`
    void (*hand_out)(T* to, std::ptrdiff_t step, Index const* columns, std::size_t count, T* held) = nullptr;
    /// Flags (bytes, 0 or 1) as bits; the flags become 0. @param count  a multiple of 64  @return how many are set
    std::size_t (*take_flags)(unsigned char* flags, std::size_t count, std::uint64_t* bits) = nullptr;
    /// The numbers of bits that are set, ascending; `padding` more may be written. @return how many
    std::size_t (*list_bits)(std::uint64_t const* bits, std::size_t words, Index* numbers) = nullptr;
    /// Where bits are set: their numbers and what is held, one behind another; that becomes `none`. @return how many
    std::size_t (*take_held)(std::uint64_t const* bits, std::size_t words, T* held, Index* numbers, T* to) = nullptr;

    // Of few products, with MergeLoops::distinct; null where that is.

    /// keys[p] = tag | column of each product. @return how many
    std::size_t (*list_columns)(Rows const& rows, Index* keys) = nullptr;
    /// keys[p] = (tag | column) << number_bits | p, with the factors and values of each. @param of_elements  factors
    std::size_t (*list_products)(Rows const& rows, T const* of_elements, Index* keys, T* factors, T* values) = nullptr;
    /// Joins of products by tag and column, of each in the order of their numbers. @param keys  of list_products,
    /// ascending  @param tagged  columns with their tags  @return how many results there are
    std::size_t (*combine_columns)(Index const* keys, std::size_t count, T const* factors, T const* values,
                                   Index* tagged, T* results) = nullptr;
};

/// @return the best of this processor, of these operations: of complex numbers sums of products, of others these and
/// the least and the largest of any joins; i64 is std::uint64_t
template <class T>
PairRowLoops<T> pair_row_loops(PairJoin join, PairAgg agg);

namespace baseline {
template <class T>
PairRowLoops<T> pair_row_loops(PairJoin join, PairAgg agg);
}
namespace avx2 {
template <class T>
PairRowLoops<T> pair_row_loops(PairJoin join, PairAgg agg);
}
namespace avx512 {
template <class T>
PairRowLoops<T> pair_row_loops(PairJoin join, PairAgg agg);
}

}  // namespace ein::executor
