// Squares of elements turned in registers, for packing: what lies side by side in memory is not what lies side by side
// in slivers. Example: 16 lines of 16 f32, an element of each side by side afterwards.
#pragma once

#include <utility>

#include "executor/device/cpu/gemm/pair_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// The first or second halves of two vectors, element by element in turns.
/// @tparam One  lanes of an element; I is each lane
template <int One = 1, class V, int... I>
V merged(V const& x, V const& y, int from, std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I);
    return from == 0
               ? __builtin_shufflevector(x, y, (I / One / 2 * One + I % One + I / One % 2 * count)...)
               : __builtin_shufflevector(x, y, (count / 2 + I / One / 2 * One + I % One + I / One % 2 * count)...);
}

/// Every second element of two vectors, from the first or second one on.
template <class T, int... I>
Vector<T> every_second(Vector<T> x, Vector<T> y, int from, std::integer_sequence<int, I...>) {
    constexpr int one = lanes_of_one<T>;
    return from == 0 ? __builtin_shufflevector(x, y, (I / one * 2 * one + I % one)...)
                     : __builtin_shufflevector(x, y, (I / one * 2 * one + one + I % one)...);
}

/// Element j of line i becomes element i of line j.
/// @param load  gives line i  @param store  takes line j
template <class T, int Side, bool Look, class Load, class Store>
__attribute__((always_inline)) inline void turn_lines(Load const& load, Store const& store, Seen<T>& seen) {
    using Held = typename Group<T, Side>::Vector;
    constexpr int one = lanes_of_one<T>;
    constexpr std::make_integer_sequence<int, Side * one> numbers;
    Held rows[Side], turned[Side];
#pragma GCC unroll 16
    for (int i = 0; i < Side; ++i) rows[i] = load(i);
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
        for (int i = 0; i < Side; ++i) turned[i] = merged<one>(rows[i / 2], rows[i / 2 + Side / 2], i % 2, numbers);
#pragma GCC unroll 16
        for (int i = 0; i < Side; ++i) rows[i] = turned[i];
    }
#pragma GCC unroll 16
    for (int j = 0; j < Side; ++j) store(j, rows[j]);
}

/// Element j at from[i] + place becomes element i at to[j].
/// @param to  gives where each of them goes
template <class T, int Side, bool Look, class To>
__attribute__((always_inline)) inline void turn_square(T const* const (&from)[Side], Index place, To const& to,
                                                       Seen<T>& seen) {
    using Anywhere = typename Group<T, Side>::Anywhere;
    turn_lines<T, Side, Look>([&](int i) { return *(Anywhere const*)(from[i] + place); },
                              [&](int j, auto const& line) { *(Anywhere*)to(j) = line; }, seen);
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

#if defined(__AVX512F__)
constexpr bool turns_pieces = true;
/// The first `count` elements of a line; what is behind them is not read.
template <class T, int Side>
inline auto first_of_line(T const* from, Index count) {
    using Held = typename Group<T, Side>::Vector;
    if constexpr (Side == lanes<T>)
        return count == Side ? *(Anywhere<T> const*)from : first_lanes<T>(from, count);
    else if constexpr (sizeof(T) == 4)
        return (Held)_mm256_maskz_loadu_epi32((__mmask8)((1u << count) - 1), from);
    else
        return (Held)_mm256_maskz_loadu_epi64((__mmask8)((1u << count) - 1), from);
}
#else
constexpr bool turns_pieces = false;
template <class T, int Side>
auto first_of_line(T const* from, Index count) = delete;
#endif

/// Some elements of a line, a bit each. @param to  where element 0 would go
#if defined(__AVX512F__)
template <class T, int Side, class Held>
inline void store_some(T* to, unsigned elements, Held const& line) {
    if constexpr (Side == lanes<T>)
        store_lanes<T>(to, elements, line);
    else if constexpr (sizeof(T) == 4)
        _mm256_mask_storeu_epi32(to, (__mmask8)elements, (__m256i)line);
    else
        _mm256_mask_storeu_epi64(to, (__mmask8)elements, (__m256i)line);
}
#else
template <class T, int Side, class Held>
void store_some(T* to, unsigned elements, Held const& line) = delete;
#endif

/// Pieces of lines that may be shorter than a square: where each begins and how many elements it has; then, of all
/// elements one after the other, where they go, and of how many lines: those of the others go `jump` further.
struct LinePieces {
    Index const *at, *count, *target, *whole, *jump;
};

/// As turn_squares. @tparam Split  not all lines of an element go to one place
template <class T, int Side, bool Look, bool Split>
__attribute__((noinline)) void turn_pieces(Lines<T, Side> const& lines, LinePieces const& pieces, Index first,
                                           Index last, Index target, T* to, Seen<T>& seen) {
    for (Index q = first; q < last; target += pieces.count[q++]) {
        asm volatile("" ::: "memory");  // as in turn_squares
        Index const place = pieces.at[q], elements = pieces.count[q];
        fetch_square<T, Side>(lines.next, place);
        turn_lines<T, Side, Look>([&](int i) { return first_of_line<T, Side>(lines.from[i] + place, elements); },
                                  [&](int j, auto const& line) {
                                      if (j >= elements) return;
                                      T* const there = to + pieces.target[target + j];
                                      if (!Split || pieces.whole[target + j] == Side) {
                                          *(typename Group<T, Side>::Anywhere*)there = line;
                                          return;
                                      }
                                      unsigned const here = (1u << pieces.whole[target + j]) - 1;
                                      store_some<T, Side>(there, here, line);
                                      store_some<T, Side>(there + pieces.jump[target + j], ~here & ((1u << Side) - 1),
                                                          line);
                                  },
                                  seen);
    }
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
