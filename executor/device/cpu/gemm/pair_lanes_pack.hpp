// Moves matrices between memory and the lanes of vectors, for pair_lanes.cpp. Where the elements of a matrix lie is the
// same for every product of a batch, so it is looked at once: what lies side by side there is turned in registers, a
// square of elements by products at a time. Example: 16 products of 4 x 4 matrices, row after row: two squares of 8
// elements by 8 products, twice; where the batch lies side by side there is nothing to turn.
#pragma once

#include "executor/device/cpu/gemm/pair_pack.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Where the elements of a matrix of a product lie, in T: a complex number has two, one after the other.
/// @tparam Most  elements
template <class T, int Parts, Index Most>
struct Places {
    Index at[Most * Parts];
    Index count = 0;   // elements
    Index period = 1;  // those that lie side by side are so many apart here
    Index squares = 0;
    std::int32_t begins[Most], sides[Most];  // of each square: its first element, and how many T
    unsigned char done[Most];                // working memory

    /// Of rows and columns that lie at `down` and `across`.
    void set(Index const* down, Index rows, Index const* across, Index columns) {
        Index* to = at;
        for (Index r = 0; r < rows; ++r)
            for (Index c = 0; c < columns; ++c)
                for (Index part = 0; part < Parts; ++part) *to++ = down[r] + across[c] + part;
        count = rows * columns;
        period = 1;
        while (period < count && at[period * Parts] != at[0] + Parts) ++period;
        squares = 0;
        for (Index element = 0; element < count; ++element) done[element] = 0;
        for (Index side = lanes<T> < 8 ? lanes<T> : 8; side >= Parts; side /= 2) find_squares(side);
    }
    /// Which T is number i of the square that begins with an element.
    Index of_square(Index begin, Index i) const { return (begin + i / Parts * period) * Parts + i % Parts; }

private:
    void find_squares(Index side) {
        Index const together = side / Parts;
        for (Index begin = 0; begin + (together - 1) * period < count; ++begin) {
            bool whole = true;
            for (Index i = 0; i < together && whole; ++i) {
                Index const element = begin + i * period;
                whole = done[element] == 0 && at[element * Parts] == at[begin * Parts] + i * Parts;
            }
            for (Index i = 0; i < together && whole; ++i) done[begin + i * period] = 1;
            if (!whole) continue;
            begins[squares] = static_cast<std::int32_t>(begin);
            sides[squares++] = static_cast<std::int32_t>(side);
        }
    }
};

/// Which products of a batch are in the lanes: where each lies, in T.
template <class T>
struct LanesAt {
    Index at[lanes<T>];
    Index held = 0;  // of all lanes
    bool side_by_side = false;

    /// @param parts  T of an element
    void set(Index count, Index parts) {
        held = count;
        side_by_side = count == lanes<T> && even_step(at, count) == 1;
        for (Index lane = 0; lane < count; ++lane) at[lane] *= parts;
        for (Index lane = count; lane < lanes<T>; ++lane) at[lane] = at[count - 1];  // whose results go nowhere
    }
};

constexpr Index lines_ahead = 4;  // of where the batch lies side by side: each element comes from a line of its own

/// Of the batch side by side: vectors are there already, but for complex numbers.
template <class T, int Parts, class At>
void load_lanes(T const* from, At const& places, Vector<T>* to) {
    if constexpr (Parts == 1) {
        for (Index k = 0; k < places.count; ++k) {
            T const* const place = from + places.at[k];
            __builtin_prefetch(place + lines_ahead * lanes<T>);
            to[k] = *(Anywhere<T> const*)place;
        }
    } else {
        constexpr std::make_integer_sequence<int, lanes<T>> numbers;
        for (Index k = 0; k < places.count; ++k) {
            T const* const place = from + places.at[2 * k];
            __builtin_prefetch(place + lines_ahead * 2 * lanes<T>);
            Vector<T> const x = *(Anywhere<T> const*)place, y = *(Anywhere<T> const*)(place + lanes<T>);
            to[2 * k] = every_second<T>(x, y, 0, numbers);
            to[2 * k + 1] = every_second<T>(x, y, 1, numbers);
        }
    }
}
template <class T, int Parts, class At>
void store_lanes(Vector<T> const* from, At const& places, T* to, T scale, bool combine) {
    auto const put = [&](T* place, Vector<T> value) {
        value *= scale;
        if (combine) value += *(Anywhere<T> const*)place;
        *(Anywhere<T>*)place = value;
    };
    if constexpr (Parts == 1) {
        for (Index k = 0; k < places.count; ++k) put(to + places.at[k], from[k]);
    } else {
        constexpr std::make_integer_sequence<int, lanes<T>> numbers;
        for (Index k = 0; k < places.count; ++k) {
            T* const place = to + places.at[2 * k];
            put(place, merged(from[2 * k], from[2 * k + 1], 0, numbers));
            put(place + lanes<T>, merged(from[2 * k], from[2 * k + 1], 1, numbers));
        }
    }
}

constexpr Index lane_squares_ahead = 6;

/// `Side` T of products, all lanes of them: element after element.
template <class T, int Side, class At>
void load_square(T const* from, LanesAt<T> const& batch, At const& places, Index square, Vector<T>* to) {
    Index const begin = places.begins[square];
    Index const later = square + lane_squares_ahead < places.squares ? square + lane_squares_ahead : square;
    T const* const here = from + places.at[places.of_square(begin, 0)];
    T const* const ahead = from + places.at[places.of_square(places.begins[later], 0)];
    for (Index first = 0; first < lanes<T>; first += Side) {
        T const *rows[Side], *next[Side];
        T* turned[Side];
#pragma GCC unroll 8
        for (int i = 0; i < Side; ++i) {
            rows[i] = here + batch.at[first + i];
            next[i] = ahead + batch.at[first + i];
            turned[i] = reinterpret_cast<T*>(to + places.of_square(begin, i)) + first;
        }
        fetch_square<T, Side>(next, 0);
        Seen<T> seen;
        turn_square<T, Side, false>(
            rows, 0, [&](int j) { return turned[j]; }, seen);
    }
}
template <class T, int Side, class At>
void store_square(Vector<T> const* from, LanesAt<T> const& batch, At const& places, Index square, T* to, T scale,
                  bool combine) {
    using Group = typename EIN_INSTRUCTION_SET::Group<T, Side>::Anywhere;
    Index const begin = places.begins[square];
    T* const here = to + places.at[places.of_square(begin, 0)];
    for (Index first = 0; first < batch.held; first += Side) {
        T const* rows[Side];
        alignas(64) T turned[Side][Side];
        T* out[Side];
#pragma GCC unroll 8
        for (int i = 0; i < Side; ++i) {
            rows[i] = reinterpret_cast<T const*>(from + places.of_square(begin, i)) + first;
            out[i] = turned[i];
        }
        Seen<T> seen;
        turn_square<T, Side, false>(
            rows, 0, [&](int j) { return out[j]; }, seen);
        for (Index i = 0; i < Side && first + i < batch.held; ++i) {
            T* const place = here + batch.at[first + i];
            Group value = *(Group const*)turned[i] * scale;
            if (combine) value += *(Group const*)place;
            *(Group*)place = value;
        }
    }
}

/// Brings a matrix of all products in the lanes to vectors; lanes without a product repeat the last one.
template <class T, int Parts, class At>
void load_matrix(void const* source, LanesAt<T> const& batch, At const& places, Vector<T>* to) {
    T const* const from = static_cast<T const*>(source);
    if (batch.side_by_side) return load_lanes<T, Parts>(from + batch.at[0], places, to);
    for (Index square = 0; square < places.squares; ++square) {
        Index const side = places.sides[square];
        if constexpr (lanes<T> >= 8)
            if (side == 8) load_square<T, 8>(from, batch, places, square, to);
        if constexpr (lanes<T> >= 4)
            if (side == 4) load_square<T, 4>(from, batch, places, square, to);
        if (side == 2) load_square<T, 2>(from, batch, places, square, to);
        if constexpr (Parts == 1)
            if (side == 1) load_square<T, 1>(from, batch, places, square, to);
    }
}
template <class T, int Parts, class At>
void store_matrix(Vector<T> const* from, LanesAt<T> const& batch, At const& places, void* target, T scale,
                  bool combine) {
    T* const to = static_cast<T*>(target);
    if (batch.side_by_side) return store_lanes<T, Parts>(from, places, to + batch.at[0], scale, combine);
    for (Index square = 0; square < places.squares; ++square) {
        Index const side = places.sides[square];
        if constexpr (lanes<T> >= 8)
            if (side == 8) store_square<T, 8>(from, batch, places, square, to, scale, combine);
        if constexpr (lanes<T> >= 4)
            if (side == 4) store_square<T, 4>(from, batch, places, square, to, scale, combine);
        if (side == 2) store_square<T, 2>(from, batch, places, square, to, scale, combine);
        if constexpr (Parts == 1)
            if (side == 1) store_square<T, 1>(from, batch, places, square, to, scale, combine);
    }
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
