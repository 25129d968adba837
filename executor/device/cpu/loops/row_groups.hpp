// Rows of 8 elements up to some vectors, each combined to one, as many at a time as a vector has lanes, for the loops
// of one instruction set: to be included where EIN_INSTRUCTION_SET is defined. Elements of a row are combined in the
// order of reduce(), so that the bits are the same. Example: 16 rows of 20 f32 are 16 vectors of 16 lanes, of which the
// first four take one more element each; then vectors are folded by pairs, 16 to 8 to 4 to 2 to one with a row in each
// lane.
#pragma once

#include <cstddef>
#include <utility>

#include "executor/device/cpu/vector_size.hpp"

#include "executor/device/cpu/loops/tile_reduce.hpp"  // of the set

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class T>
struct RowGroups {
    static constexpr std::size_t lanes = vector_bytes / sizeof(T);  // and rows of a group
    static constexpr std::size_t in_order = 64 / sizeof(T);         // fewer elements are combined one after another
    static constexpr std::size_t parts = in_order / lanes;          // vectors that fold() takes a row to be
    using Lane = Vector<T, lanes>;
    using Numbers = std::make_integer_sequence<int, static_cast<int>(lanes)>;

    [[gnu::always_inline]] static void load(Lane& to, T const* from) { __builtin_memcpy(&to, from, sizeof to); }

    /// a0 b0 a1 b1 ... of the first halves, or of the second halves, of two vectors.
    template <int half, int... i>
    [[gnu::always_inline]] static Lane interleaved(Lane const& a, Lane const& b, std::integer_sequence<int, i...>) {
        constexpr int count = sizeof...(i);
        return __builtin_shufflevector(a, b, (half * count / 2 + i / 2 + (i % 2) * count)...);
    }

    /// Rotates the bits of (vector, lane) by `times` places.
    template <std::size_t count, std::size_t times>
    [[gnu::always_inline]] static void rotate(Lane (&vectors)[count]) {
        Lane next[count] = {};
#pragma GCC unroll 16
        for (std::size_t done = 0; done < times; ++done) {
#pragma GCC unroll 16
            for (std::size_t k = 0; k < count / 2; ++k) {
                next[2 * k] = interleaved<0>(vectors[k], vectors[k + count / 2], Numbers{});
                next[2 * k + 1] = interleaved<1>(vectors[k], vectors[k + count / 2], Numbers{});
            }
#pragma GCC unroll 16
            for (std::size_t k = 0; k < count; ++k) vectors[k] = next[k];
        }
    }
    static constexpr std::size_t bits_of(std::size_t count) { return count == 1 ? 0 : 1 + bits_of(count / 2); }

    /// A group of rows that are half as long as a vector: two of them are one.
    template <class Op>
    [[gnu::always_inline]] static Lane halves_in_order(T const* v) {
        constexpr std::size_t columns = lanes / 2;
        Lane two[columns];
#pragma GCC unroll 16
        for (std::size_t k = 0; k < columns; ++k) load(two[k], v + k * lanes);
        rotate<columns, bits_of(lanes)>(two);
        Lane made = two[0];
#pragma GCC unroll 16
        for (std::size_t k = 1; k < columns; ++k) made = Op::of(made, two[k]);
        return made;
    }

    /// Of rows that are shorter than in_order: squares of them become columns.
    template <class Op>
    [[gnu::always_inline]] static Lane one_after_another(T const* v, std::size_t columns) {
        if (columns == lanes / 2) return halves_in_order<Op>(v);
        Lane made{}, turned[lanes];
        for (std::size_t first = 0; first < columns; first += lanes) {
#pragma GCC unroll 16
            for (std::size_t r = 0; r < lanes; ++r) load(turned[r], v + r * columns + first);
            rotate<lanes, bits_of(lanes)>(turned);
            std::size_t const count = columns - first < lanes ? columns - first : lanes;
            std::size_t k = 0;
            if (first == 0) made = turned[k++];
            for (; k < count; ++k) made = Op::of(made, turned[k]);
        }
        return made;
    }

    /// Lane i of what the first, or the second, halves of all rows are, `width` lanes each, in two vectors.
    template <std::size_t width>
    static constexpr int half_of(std::size_t i, std::size_t half) {
        std::size_t const row = i / (width / 2), rows = lanes / width, within = i % (width / 2) + half * (width / 2);
        return static_cast<int>((row / rows) * lanes + (row % rows) * width + within);
    }
    template <class Op, std::size_t width, int... i>
    [[gnu::always_inline]] static Lane pair_folded(Lane const& a, Lane const& b, std::integer_sequence<int, i...>) {
        return Op::of(Lane(__builtin_shufflevector(a, b, half_of<width>(i, 0)...)),
                      Lane(__builtin_shufflevector(a, b, half_of<width>(i, 1)...)));
    }
    template <class Op, std::size_t width>
    [[gnu::always_inline]] static Lane folded(Lane (&rows)[lanes]) {
        if constexpr (width == 1) {
            return rows[0];
        } else {
#pragma GCC unroll 16
            for (std::size_t k = 0; k < width / 2; ++k)
                rows[k] = pair_folded<Op, width>(rows[2 * k], rows[2 * k + 1], Numbers{});
            return folded<Op, width / 2>(rows);
        }
    }

    /// Of rows of in_order elements or more, in as many lanes.
    template <class Op>
    [[gnu::always_inline]] static Lane in_lanes(T const* v, std::size_t columns, Lane const& number) {
        Lane row[parts][lanes], next;
        std::size_t const whole = columns / in_order * in_order, rest = columns - whole;
#pragma GCC unroll 4
        for (std::size_t p = 0; p < parts; ++p)
#pragma GCC unroll 16
            for (std::size_t r = 0; r < lanes; ++r) load(row[p][r], v + r * columns + p * lanes);
        for (std::size_t first = in_order; first < whole; first += in_order)
#pragma GCC unroll 4
            for (std::size_t p = 0; p < parts; ++p)
#pragma GCC unroll 16
                for (std::size_t r = 0; r < lanes; ++r) {
                    load(next, v + r * columns + first + p * lanes);
                    row[p][r] = Op::of(row[p][r], next);
                }
#pragma GCC unroll 4
        for (std::size_t p = 0; p < parts; ++p) {
            if (rest <= p * lanes) break;
            Lane const left = Lane{} + static_cast<T>(rest - p * lanes);
#pragma GCC unroll 16
            for (std::size_t r = 0; r < lanes; ++r) {
                load(next, v + r * columns + whole + p * lanes);
                row[p][r] = number < left ? Op::of(row[p][r], next) : row[p][r];
            }
        }
#pragma GCC unroll 4
        for (std::size_t half = parts / 2; half > 0; half /= 2)
#pragma GCC unroll 4
            for (std::size_t p = 0; p < half; ++p)
#pragma GCC unroll 16
                for (std::size_t r = 0; r < lanes; ++r) row[p][r] = Op::of(row[p][r], row[p + half][r]);
        return folded<Op, lanes>(row[0]);
    }

    /// Asks for a group, whose lines are read in an order that processors do not foresee. Sums have so little to do
    /// that they come in time.
    [[gnu::always_inline]] static void bring(T const* group, std::size_t columns) {
        constexpr std::size_t of_line = 64 / sizeof(T);
        for (std::size_t at = 0; at < lanes * columns; at += of_line) __builtin_prefetch(group + at, 0, 3);
    }

    /// Writes reduce() of each of the first rows. @return how many: all but some of the last ones
    /// @param there  elements that may be loaded: behind the last row of a group there must be some
    template <class Op>
    [[gnu::noinline]] static std::size_t reduce(T const* v, std::size_t rows, std::size_t columns, std::size_t there,
                                                T* results) {
        Lane number;
        for (std::size_t l = 0; l < lanes; ++l) number[l] = static_cast<T>(l);
        std::size_t r = 0;
        std::size_t const beyond = columns % lanes == 0 || columns == lanes / 2 ? 0 : in_order;
        for (; r + lanes <= rows && (r + lanes) * columns + beyond <= there; r += lanes) {
            if constexpr (!Op::rounds) bring(v + (r + lanes) * columns, columns);
            Lane const made = columns < in_order ? one_after_another<Op>(v + r * columns, columns)
                                                 : in_lanes<Op>(v + r * columns, columns, number);
            __builtin_memcpy(results + r, &made, sizeof made);
        }
        return r;
    }
};

/// Whether rows are combined in groups: longer ones keep a processor busy each.
template <class Op, class T>
constexpr bool has_row_groups = has_vectors<T> && sizeof(T) >= 4 && Op::has_short_rows;
template <class T>
bool are_grouped(std::size_t columns) {
    return columns >= 8 && columns < 8 * RowGroups<T>::in_order;
}

/// Calls take(r, n, results) with reduce() of n rows from r on, some rows at a time.
template <class Op, class T, class Take>
void reduce_each(T const* v, std::size_t rows, std::size_t columns, Take const& take) {
    constexpr std::size_t together = 64;
    T results[together];
    for (std::size_t first = 0, n; first < rows; first += n) {
        n = rows - first < together ? rows - first : together;
        std::size_t const done =
            RowGroups<T>::template reduce<Op>(v + first * columns, n, columns, (rows - first) * columns, results);
        for (std::size_t r = done; r < n; ++r) results[r] = reduce<Op>(v + (first + r) * columns, columns);
        take(first, n, results);
    }
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
