// Moves matrices between memory and the lanes of vectors, for pair_lanes.cpp. Where the rows and columns of a matrix
// lie is the same for every product of a batch, so it is looked at once: what lies side by side there is turned in
// registers, a square of elements by products at a time. Example: 16 products of 4 x 4 matrices, row after row: squares
// of 4 elements by 4 products, four a row; where the batch lies side by side there is nothing to turn.
#pragma once

#include "executor/device/cpu/gemm/pair_pack.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Where rows, or columns, lie in memory, in T, and where their vectors begin, in elements: an element lies at the sum
/// of its row's and its column's.
struct Axis {
    Index const *at, *to;
    Index count;
};

inline constexpr Index squares_ahead = 6;

/// Where the elements of a matrix of a product lie; a complex number is two T, one after the other.
/// @tparam Most  rows, and columns; of a matrix of no more elements all are one axis
template <class T, int Parts, Index Most>
struct Places {
    Axis outer, inner;  // of `inner` some may lie side by side
    Index period = 1;   // those are so many apart
    Index squares = 0;
    Index lines_later = 0, squares_later = 0;  // where squares_ahead squares on is: lines of `outer`, then squares
    std::int32_t begins[Most], sides[Most];    // of each square: its first of `inner`, and how many T
    std::int32_t firsts[Most];                 // and where its vectors begin among
    std::int32_t vectors[Most * Parts];        // those of all squares, beyond where a line of `outer` begins
    bool done[Most];                           // working memory
    Index all_at[Most], all_to[Most];

    void set(Axis rows, Axis columns) {
        if (rows.count * columns.count <= Most) {
            static constexpr Index zero = 0;
            Index count = 0;
            for (Index r = 0; r < rows.count; ++r)
                for (Index c = 0; c < columns.count; ++c, ++count) {
                    all_at[count] = rows.at[r] + columns.at[c];
                    all_to[count] = rows.to[r] + columns.to[c];
                }
            rows = {&zero, &zero, 1};
            columns = {all_at, all_to, count};
        }
        Index const by_rows = period_of(rows), by_columns = period_of(columns);
        bool const rows_inside = by_columns == 0 && (by_rows > 0 || step(rows) < step(columns));
        outer = rows_inside ? columns : rows;
        inner = rows_inside ? rows : columns;
        period = rows_inside ? by_rows : by_columns;
        if (period == 0) period = 1;
        squares = placed_ = 0;
        for (Index i = 0; i < inner.count; ++i) done[i] = false;
        for (Index side = lanes<T>; side >= Parts; side /= 2) find_squares(side);
        lines_later = squares_ahead / squares;
        squares_later = squares_ahead % squares;
    }

private:
    /// How far apart those are that lie side by side; 0: none does.
    static Index period_of(Axis const& lines) {
        for (Index i = 1; i < lines.count; ++i)
            if (lines.at[i] == lines.at[0] + Parts) return i;
        return 0;
    }
    static Index step(Axis const& lines) {
        if (lines.count < 2) return 0;
        return lines.at[1] > lines.at[0] ? lines.at[1] - lines.at[0] : lines.at[0] - lines.at[1];
    }
    void find_squares(Index side) {
        Index const together = side / Parts;
        for (Index begin = 0; begin + (together - 1) * period < inner.count; ++begin) {
            bool whole = true;
            for (Index i = 0; i < together && whole; ++i) {
                Index const each = begin + i * period;
                whole = !done[each] && inner.at[each] == inner.at[begin] + i * Parts;
            }
            for (Index i = 0; i < together && whole; ++i) done[begin + i * period] = true;
            if (!whole) continue;
            begins[squares] = static_cast<std::int32_t>(begin);
            firsts[squares] = static_cast<std::int32_t>(placed_);
            sides[squares++] = static_cast<std::int32_t>(side);
            for (Index i = 0; i < side; ++i)
                vectors[placed_++] =
                    static_cast<std::int32_t>(inner.to[begin + i / Parts * period] * Parts + i % Parts);
        }
    }

    Index placed_ = 0;  // of `vectors`
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

// Where the batch lies side by side each element comes from a line of its own.
inline constexpr Index lines_ahead = 64;  // of many lines, later ones
inline constexpr Index lines_of_a_step =
    512;  // of fewer, those of the next products: they stay in the first-level cache

/// Of the batch side by side: vectors are there already, but for complex numbers.
template <class T, int Parts, class At>
void load_lanes(T const* from, At const& places, Vector<T>* to) {
    constexpr std::make_integer_sequence<int, lanes<T>> numbers;
    bool const many = places.outer.count * places.inner.count > lines_of_a_step;
    Index const ahead = many ? lines_ahead : 0, beside = many ? 0 : lanes<T> * Parts;
    for (Index line = 0; line < places.outer.count; ++line) {
        T const* const here = from + places.outer.at[line];
        T const* const next = here + beside;
        Vector<T>* const there = to + places.outer.to[line] * Parts;
        for (Index i = 0; i < places.inner.count; ++i) {
            T const* const place = here + places.inner.at[i];
            T const* const later = next + places.inner.at[at_most(i + ahead, places.inner.count - 1)];
            __builtin_prefetch(later);
            if constexpr (Parts == 2) __builtin_prefetch(later + lanes<T>);
            Vector<T>* const held = there + places.inner.to[i] * Parts;
            Vector<T> const x = *(Anywhere<T> const*)place;
            if constexpr (Parts == 1) {
                held[0] = x;
            } else {
                Vector<T> const y = *(Anywhere<T> const*)(place + lanes<T>);
                held[0] = every_second<T>(x, y, 0, numbers);
                held[1] = every_second<T>(x, y, 1, numbers);
            }
        }
    }
}
template <class T, int Parts, class At>
void store_lanes(Vector<T> const* from, At const& places, T* to, T scale, bool combine) {
    constexpr std::make_integer_sequence<int, lanes<T>> numbers;
    auto const put = [&](T* place, Vector<T> value) {
        value *= scale;
        if (combine) value += *(Anywhere<T> const*)place;
        *(Anywhere<T>*)place = value;
    };
    for (Index line = 0; line < places.outer.count; ++line) {
        T* const there = to + places.outer.at[line];
        Vector<T> const* const here = from + places.outer.to[line] * Parts;
        for (Index i = 0; i < places.inner.count; ++i) {
            T* const place = there + places.inner.at[i];
            Vector<T> const* const held = here + places.inner.to[i] * Parts;
            if constexpr (Parts == 1) {
                put(place, held[0]);
            } else {
                put(place, merged(held[0], held[1], 0, numbers));
                put(place + lanes<T>, merged(held[0], held[1], 1, numbers));
            }
        }
    }
}

/// `Side` T of products, all lanes of them: element after element.
/// @param line, square  which of the places
template <class T, int Parts, int Side, class At>
void load_square(T const* from, LanesAt<T> const& batch, At const& places, Index line, Index square, Vector<T>* to) {
    Index const begin = places.begins[square];
    Index later = square + places.squares_later, later_line = line + places.lines_later;
    if (later >= places.squares) later -= places.squares, ++later_line;
    later_line = at_most(later_line, places.outer.count - 1);
    T const* const here = from + places.outer.at[line] + places.inner.at[begin];
    T const* const ahead = from + places.outer.at[later_line] + places.inner.at[places.begins[later]];
    Vector<T>* const there = to + places.outer.to[line] * Parts;
    std::int32_t const* const vectors = places.vectors + places.firsts[square];
    for (Index first = 0; first < lanes<T>; first += Side) {
        T const *rows[Side], *next[Side];
#pragma GCC unroll 16
        for (int i = 0; i < Side; ++i) {
            rows[i] = here + batch.at[first + i];
            next[i] = ahead + batch.at[first + i];
        }
        fetch_square<T, Side>(next, 0);
        Seen<T> seen;
        turn_square<T, Side, false>(
            rows, 0, [&](int j) { return reinterpret_cast<T*>(there + vectors[j]) + first; }, seen);
    }
}
template <class T, int Parts, int Side, class At>
void store_square(Vector<T> const* from, LanesAt<T> const& batch, At const& places, Index line, Index square, T* to,
                  T scale, bool combine) {
    using Group = typename EIN_INSTRUCTION_SET::Group<T, Side>::Anywhere;
    Index const begin = places.begins[square];
    T* const here = to + places.outer.at[line] + places.inner.at[begin];
    Vector<T> const* const held_here = from + places.outer.to[line] * Parts;
    std::int32_t const* const vectors = places.vectors + places.firsts[square];
    for (Index first = 0; first < batch.held; first += Side) {
        Index const held = batch.held - first;
        auto const load = [&](int i) {
            return *(Group const*)(reinterpret_cast<T const*>(held_here + vectors[i]) + first);
        };
        Seen<T> seen;
        if (held >= Side && !combine) {
            turn_lines<T, Side, false>(
                load, [&](int j, auto const& turned) { *(Group*)(here + batch.at[first + j]) = (Group)turned * scale; },
                seen);
            continue;
        }
        turn_lines<T, Side, false>(
            load,
            [&](int j, auto const& turned) {
                if (j >= held) return;
                T* const place = here + batch.at[first + j];
                Group const value = (Group)turned * scale;
                *(Group*)place = combine ? *(Group const*)place + value : value;
            },
            seen);
    }
}

/// Calls what(line, square, side as a constant) for all squares of a matrix.
template <class T, int Parts, class At, class What>
void for_each_square(At const& places, What const& what) {
    for (Index line = 0; line < places.outer.count; ++line)
        for (Index square = 0; square < places.squares; ++square) {
            Index const side = places.sides[square];
            if constexpr (lanes<T> >= 16)
                if (side == 16) what(line, square, std::integral_constant<int, 16>());
            if constexpr (lanes<T> >= 8)
                if (side == 8) what(line, square, std::integral_constant<int, 8>());
            if constexpr (lanes<T> >= 4)
                if (side == 4) what(line, square, std::integral_constant<int, 4>());
            if (side == 2) what(line, square, std::integral_constant<int, 2>());
            if constexpr (Parts == 1)
                if (side == 1) what(line, square, std::integral_constant<int, 1>());
        }
}

/// Brings a matrix of all products in the lanes to vectors; lanes without a product repeat the last one.
template <class T, int Parts, class At>
void load_matrix(void const* source, LanesAt<T> const& batch, At const& places, Vector<T>* to) {
    T const* const from = static_cast<T const*>(source);
    if (batch.side_by_side) return load_lanes<T, Parts>(from + batch.at[0], places, to);
    for_each_square<T, Parts>(places, [&](Index line, Index square, auto side) {
        load_square<T, Parts, decltype(side)::value>(from, batch, places, line, square, to);
    });
}
template <class T, int Parts, class At>
void store_matrix(Vector<T> const* from, LanesAt<T> const& batch, At const& places, void* target, T scale,
                  bool combine) {
    T* const to = static_cast<T*>(target);
    if (batch.side_by_side) return store_lanes<T, Parts>(from, places, to + batch.at[0], scale, combine);
    for_each_square<T, Parts>(places, [&](Index line, Index square, auto side) {
        store_square<T, Parts, decltype(side)::value>(from, batch, places, line, square, to, scale, combine);
    });
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
