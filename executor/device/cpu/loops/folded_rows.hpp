// Rows of integers combined to one each by operations that may have an element twice, for the loops of one instruction
// set: to be included where EIN_INSTRUCTION_SET is defined. Every row is folded to eight bytes by vectors that may
// overlap, then eight bytes of several rows at a time to an element each. Example: of rows of 17 bytes the elements 0
// to 15 meet 1 to 16, the upper half of that meets the lower one, and of eight such rows the words are shifted by 4, 2
// and 1 bytes to meet themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "executor/device/cpu/vector_size.hpp"

#include "executor/device/cpu/loops/short_rows.hpp"   // of the set
#include "executor/device/cpu/loops/tile_reduce.hpp"  // of the set

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

#if defined(__x86_64__) && !defined(__SSSE3__)
constexpr bool has_byte_shuffles = false;
#else
constexpr bool has_byte_shuffles = true;
#endif

/// Bytes of a row from which on it keeps a processor busy by itself.
constexpr std::size_t longest_folded_row = 2048;

template <class Op, class T>
struct FoldedRows {
    static constexpr std::size_t word = 8;  // bytes
    static constexpr std::size_t lanes = vector_bytes / sizeof(T);
    static constexpr std::size_t together = 64;  // rows

    static std::uint64_t word_at(T const* from) {
        std::uint64_t made;
        __builtin_memcpy(&made, from, sizeof made);
        return made;
    }

    template <std::size_t Bytes>
    [[gnu::always_inline]] static std::uint64_t to_word(Vector<T, Bytes / sizeof(T)> const& row) {
        if constexpr (Bytes == 16) {
            using Words = Vector<std::uint64_t, 2>;
            Words const words = Words(row), upper = __builtin_shufflevector(words, words, 1, 1);
            return Words(Op::of(row, Vector<T, 16 / sizeof(T)>(upper)))[0];
        } else {
            Vector<T, Bytes / 2 / sizeof(T)> half[2];
            __builtin_memcpy(half, &row, sizeof row);
            return to_word<Bytes / 2>(Op::of(half[0], half[1]));
        }
    }

    /// Of a row of at least so many bytes.
    template <std::size_t Bytes>
    [[gnu::always_inline]] static std::uint64_t folded(T const* row, std::size_t columns) {
        constexpr std::size_t step = Bytes / sizeof(T);
        if constexpr (Bytes == word) {
            Vector<std::uint64_t, 2> const both{word_at(row), word_at(row + columns - step)};
            return to_word<16>(Vector<T, 16 / sizeof(T)>(both));
        } else {
            Vector<T, step> made, next;
            __builtin_memcpy(&made, row, sizeof made);
            for (std::size_t c = step; c + step < columns; c += step) {
                __builtin_memcpy(&next, row + c, sizeof next);
                made = Op::of(made, next);
            }
            __builtin_memcpy(&next, row + columns - step, sizeof next);
            return to_word<Bytes>(Op::of(made, next));
        }
    }

    /// The elements of each `Row`, an unsigned integer that is a row, become one.
    template <class Row>
    static void fold_each(void const* rows, std::size_t count, T* results) {
        constexpr std::size_t of_vector = vector_bytes / sizeof(Row);
        using Rows = Vector<Row, of_vector>;
        using Elements = Vector<T, lanes>;
        auto const* from = static_cast<char const*>(rows);
        std::size_t r = 0;
        for (; r + of_vector <= count; r += of_vector) {
            Rows here;
            __builtin_memcpy(&here, from + r * sizeof(Row), sizeof here);
            auto const made = __builtin_convertvector(Rows(within_rows<Row>(Elements(here))), Vector<T, of_vector>);
            __builtin_memcpy(results + r, &made, sizeof made);
        }
        for (; r < count; ++r) {
            T row[sizeof(Row) / sizeof(T)];
            __builtin_memcpy(row, from + r * sizeof(Row), sizeof row);
            T made = row[0];
            for (std::size_t c = 1; c < sizeof(Row) / sizeof(T); ++c) made = Op::of(made, row[c]);
            results[r] = made;
        }
    }
    template <class Row, std::size_t Bytes = sizeof(Row) / 2>
    [[gnu::always_inline]] static Vector<T, lanes> within_rows(Vector<T, lanes> const& rows) {
        if constexpr (Bytes < sizeof(T)) {
            return rows;
        } else {
            using Rows = Vector<Row, vector_bytes / sizeof(Row)>;
            return within_rows<Row, Bytes / 2>(Op::of(rows, Vector<T, lanes>(Rows(rows) >> (8 * Bytes))));
        }
    }

    template <std::size_t Bytes>
    [[gnu::noinline]] static void fold(T const* v, std::size_t count, std::size_t columns, T* results) {
        std::uint64_t words[together];
        for (std::size_t r = 0; r < count; ++r) words[r] = folded<Bytes>(v + r * columns, columns);
        fold_each<std::uint64_t>(words, count, results);
    }

    /// Rows of three bytes and the like: each element meets the ones up to a row's length behind it, then the first
    /// ones of rows are picked. @param there  elements that may be read
    template <std::size_t Columns>
    [[gnu::noinline]] static void pick(T const* v, std::size_t count, std::size_t there, T* results) {
        constexpr std::size_t most = together * Columns, beyond = 2 * lanes;
        T copied[most + beyond], met[most + lanes];
        std::size_t const elements = count * Columns;
        if (there < elements + beyond) {
            __builtin_memcpy(copied, v, elements * sizeof(T));
            __builtin_memset(copied + elements, 0, beyond * sizeof(T));
            v = copied;
        }
        Vector<T, lanes> made, next;
        for (std::size_t i = 0; i < elements; i += lanes) {
            __builtin_memcpy(&made, v + i, sizeof made);
#pragma GCC unroll 8
            for (std::size_t c = 1; c < Columns; ++c) {
                __builtin_memcpy(&next, v + i + c, sizeof next);
                made = Op::of(made, next);
            }
            __builtin_memcpy(met + i, &made, sizeof made);
        }
        ShortRows<T, 16>::template firsts<Columns>(met, count, results);
    }

    /// Of rows shorter than a word.
    static void fold_short(T const* v, std::size_t count, std::size_t columns, std::size_t there, T* results) {
        if constexpr (sizeof(T) <= 2) {
            if (columns * sizeof(T) == 2) return fold_each<std::uint16_t>(v, count, results);
            if (columns * sizeof(T) == 4) return fold_each<std::uint32_t>(v, count, results);
            if (columns == 3) return pick<3>(v, count, there, results);
        }
        if constexpr (sizeof(T) == 1) {
            if (columns == 5) return pick<5>(v, count, there, results);
            if (columns == 6) return pick<6>(v, count, there, results);
            if (columns == 7) return pick<7>(v, count, there, results);
        }
    }

    static void run(T const* v, std::size_t count, std::size_t columns, std::size_t there, T* results) {
        std::size_t const bytes = columns * sizeof(T);
        if (bytes >= vector_bytes) return fold<vector_bytes>(v, count, columns, results);
        if constexpr (vector_bytes > 32)
            if (bytes >= 32) return fold<32>(v, count, columns, results);
        if (bytes >= 16) return fold<16>(v, count, columns, results);
        if (bytes > word) return fold<word>(v, count, columns, results);
        if (bytes == word) return fold_each<std::uint64_t>(v, count, results);
        fold_short(v, count, columns, there, results);
    }
};

template <class Op, class T>
constexpr bool folds_rows = std::is_integral_v<T>&& Op::may_repeat;

template <class T>
bool are_folded(std::size_t columns) {
    std::size_t const bytes = columns * sizeof(T);
    bool const is_word = bytes >= 8 || bytes == 4 || bytes == 2;
    return columns > 1 && bytes <= longest_folded_row && (is_word || has_byte_shuffles);
}

/// Calls take(r, n, results) with what n rows from r on become, some rows at a time.
template <class Op, class T, class Take>
void fold_rows(T const* v, std::size_t rows, std::size_t columns, Take const& take) {
    using Folded = FoldedRows<Op, T>;
    T results[Folded::together];
    for (std::size_t first = 0, n; first < rows; first += n) {
        n = rows - first < Folded::together ? rows - first : Folded::together;
        Folded::run(v + first * columns, n, columns, (rows - first) * columns, results);
        take(first, n, results);
    }
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
