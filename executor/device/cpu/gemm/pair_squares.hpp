// Squares of elements turned in registers, for packing: what lies side by side in memory is not what lies side by side
// in slivers. Example: 16 lines of 16 f32, an element of each side by side afterwards.
#pragma once

#include <utility>

#include "executor/device/cpu/gemm/pair_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// The first or second halves of two vectors, element by element in turns.
template <class V, int... I>
V merged(V const& x, V const& y, int from, std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I);
    return from == 0 ? __builtin_shufflevector(x, y, (I / 2 + I % 2 * count)...)
                     : __builtin_shufflevector(x, y, (count / 2 + I / 2 + I % 2 * count)...);
}

/// Element j at from[i] + place becomes element i at to[j].
/// @param to  gives where each of them goes
template <class T, int Side, bool Look, class To>
__attribute__((always_inline)) inline void turn_square(T const* const (&from)[Side], Index place, To const& to,
                                                       Seen<T>& seen) {
    typedef T Held __attribute__((vector_size(Side * sizeof(T))));
    using Anywhere = typename Group<T, Side>::Anywhere;
    constexpr std::make_integer_sequence<int, Side> numbers;
    Held rows[Side], turned[Side];
#pragma GCC unroll 16
    for (int i = 0; i < Side; ++i) rows[i] = *(Anywhere const*)(from[i] + place);
    if constexpr (Look)
        for (Held const& row : rows) {
            Vector<T> looked_at{};
            for (int lane = 0; lane < Side; ++lane) looked_at[lane] = row[lane];
            seen.add(looked_at);
        }
#pragma GCC unroll 4
    for (int round = 1; round < Side;
         round *= 2) {  // a perfect shuffle of all elements: an index's highest bit becomes its lowest
#pragma GCC unroll 16
        for (int i = 0; i < Side; ++i) turned[i] = merged(rows[i / 2], rows[i / 2 + Side / 2], i % 2, numbers);
#pragma GCC unroll 16
        for (int i = 0; i < Side; ++i) rows[i] = turned[i];
    }
#pragma GCC unroll 16
    for (int j = 0; j < Side; ++j) *(Anywhere*)to(j) = rows[j];
}

template <class T, int Side>
inline void fetch_square(T const* const (&from)[Side], Index place) {
    if constexpr (Side * sizeof(T) >= 32)  // smaller ones are few
#pragma GCC unroll 16
        for (int i = 0; i < Side; ++i) __builtin_prefetch(from[i] + place);
}

/// Lines that lie apart, whose elements are turned, and those that are needed some steps later.
template <class T, int Side>
struct Lines {
    T const *from[Side], *next[Side];
};

/// Squares of some lines: of square q, element j of line i, at[q] from its beginning, becomes element i of a line at
/// to + target[q * Side + j].
template <class T, int Side, bool Look>
__attribute__((noinline)) void turn_squares(Lines<T, Side> const& lines, Index const* at, Index const* target,
                                            Index squares, T* to, Seen<T>& seen) {
    for (Index q = 0; q < squares; ++q, target += Side) {
        asm volatile("" ::: "memory");  // addresses stay in memory: there are more of them than registers
        fetch_square<T, Side>(lines.next, at[q]);
        turn_square<T, Side, Look>(
            lines.from, at[q], [&](int j) { return to + target[j]; }, seen);
    }
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
