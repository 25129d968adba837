// Rows of 2 to 7 elements combined as many at a time as a vector has lanes, for the loops of one instruction set: to be
// included where EIN_INSTRUCTION_SET is defined. Elements of a row are combined in their order, so that the bits are
// those of a loop over one row. Example: rows (1, 2, 3) and (4, 5, 6) give 6 and 15: the columns (1, 4), (2, 5) and
// (3, 6) are picked from vectors as they lie, and added.
#pragma once

#include <cstddef>
#include <utility>

#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class T, int Bytes = vector_bytes>
struct ShortRows {
    static constexpr std::size_t lanes = Bytes / sizeof(T);
    using Vector [[gnu::vector_size(Bytes)]] = T;
    using Lanes = std::make_index_sequence<lanes>;

    /// Which element of the vectors (column, part k) a lane takes: its own, one of the part, or any.
    template <std::size_t Columns>
    static constexpr int taken(std::size_t lane, std::size_t column, std::size_t k) {
        std::size_t const at = lane * Columns + column;
        if (at / lanes == k) return static_cast<int>(lanes + at % lanes);
        return at / lanes < k ? static_cast<int>(lane) : -1;
    }

    template <std::size_t Columns, std::size_t column, std::size_t k, std::size_t... lane>
    [[gnu::always_inline]] static Vector joined(Vector const& so_far, Vector const& part,
                                                std::index_sequence<lane...>) {
        return __builtin_shufflevector(so_far, part, taken<Columns>(lane, column, k)...);
    }

    template <std::size_t column, std::size_t... k>
    [[gnu::always_inline]] static Vector picked(Vector const (&part)[sizeof...(k)], std::index_sequence<k...>) {
        Vector made = part[0];
        ((made = joined<sizeof...(k), column, k>(made, part[k], Lanes{})), ...);
        return made;
    }

    template <class Op, std::size_t first, std::size_t... further>
    [[gnu::always_inline]] static Vector combined(Vector const (&part)[1 + sizeof...(further)],
                                                  std::index_sequence<first, further...>) {
        using Parts = std::make_index_sequence<1 + sizeof...(further)>;
        Vector made = picked<first>(part, Parts{});
        ((made = Op::of(made, picked<further>(part, Parts{}))), ...);
        return made;
    }

    /// The first element of each row.
    template <std::size_t Columns>
    static void firsts(T const* v, std::size_t count, T* results) {
        std::size_t r = 0;
        for (; r + lanes <= count; r += lanes) {
            Vector part[Columns];
            __builtin_memcpy(part, v + r * Columns, sizeof part);
            Vector const made = picked<0>(part, std::make_index_sequence<Columns>{});
            __builtin_memcpy(results + r, &made, sizeof made);
        }
        for (; r < count; ++r) results[r] = v[r * Columns];
    }

    template <class Op, std::size_t Columns>
    static void run(T* acc, T const* v, std::size_t count) {
        std::size_t r = 0;
        for (; r + lanes <= count; r += lanes) {
            Vector part[Columns], held;
            __builtin_memcpy(part, v + r * Columns, sizeof part);
            __builtin_memcpy(&held, acc + r, sizeof held);
            held = Op::of(held, combined<Op>(part, std::make_index_sequence<Columns>{}));
            __builtin_memcpy(acc + r, &held, sizeof held);
        }
        for (; r < count; ++r) {
            T made = v[r * Columns];
            for (std::size_t c = 1; c < Columns; ++c) made = Op::of(made, v[r * Columns + c]);
            acc[r] = Op::of(acc[r], made);
        }
    }
};

inline constexpr std::size_t longest_short_row = 7;

/// acc[r] = acc[r] op row r. @return false where rows are longer: nothing was done
template <class Op, class T>
bool combine_short_rows(T* acc, T const* v, std::size_t count, std::size_t columns) {
    switch (columns) {
        case 2: ShortRows<T>::template run<Op, 2>(acc, v, count); return true;
        case 3: ShortRows<T>::template run<Op, 3>(acc, v, count); return true;
        case 4: ShortRows<T>::template run<Op, 4>(acc, v, count); return true;
        case 5: ShortRows<T>::template run<Op, 5>(acc, v, count); return true;
        case 6: ShortRows<T>::template run<Op, 6>(acc, v, count); return true;
        case 7: ShortRows<T>::template run<Op, 7>(acc, v, count); return true;
        default: return false;
    }
}

/// The same of integers that are narrower than `Lanes`, some rows at a time, into what begin(r) gives; then
/// end(r, result). @param columns  2 to longest_short_row
template <class Op, class Lanes, class T, class Begin, class End>
void combine_short_rows_in(T const* v, std::size_t count, std::size_t columns, Begin const& begin, End const& end) {
    constexpr std::size_t together = 64;
    Lanes values[together * longest_short_row], results[together];
    for (std::size_t first = 0, n; first < count; first += n, v += n * columns) {
        n = count - first < together ? count - first : together;
        for (std::size_t i = 0; i < n * columns; ++i) values[i] = static_cast<Lanes>(v[i]);
        for (std::size_t r = 0; r < n; ++r) results[r] = begin(first + r);
        combine_short_rows<Op>(results, values, n, columns);
        for (std::size_t r = 0; r < n; ++r) end(first + r, results[r]);
    }
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
