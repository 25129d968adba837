// Packing for pair_loops.cpp. A block of an operand becomes slivers, in which the elements of each term lie side by
// side; they are read in the order in which memory has them, whatever their labels.
#pragma once

#include "executor/device/cpu/gemm/pair_labels.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

// ---- slivers ----

/// How the wide direction of a block is cut: units of some elements, spread evenly. What is beyond the end of the block
/// is zero.
struct Slivers {
    Index count, unit, each, more;  // the first `more` have a unit more than the others
    Slivers(Index units, Index slivers, Index of)
        : count(slivers), unit(of), each(units / slivers), more(units % slivers) {}
    Index first(Index sliver) const { return (sliver * each + at_most(sliver, more)) * unit; }
    Index width(Index sliver) const { return first(sliver + 1) - first(sliver); }
    Index of(Index element) const {
        Index const at = element / unit, longer = more * (each + 1);
        return at < longer ? at / (each + 1) : more + (at - longer) / each;
    }
};

/// The elements of a block: `wide` of them for each term.
template <class T>
struct Source {
    T const* from;
    Index const* wide_at;
    Index wide;
    Index const* term_at;
    Index terms;
};

/// How many terms before it is copied a term is fetched: memory does not guess where the next one begins.
template <class T>
Index terms_ahead(Index wide) {
    Index const bytes = wide * static_cast<Index>(sizeof(T));
    return at_most(1 + (Index{4} << 10) / bytes, 8);  // terms may lie a multiple of a page apart, and share a cache set
}

/// Elements that lie side by side in runs, term after term: all slivers of a term come from one place.
/// @param adjacent  how many from each on lie side by side
template <class T, bool Look>
void pack_along(Source<T> const& source, Slivers const& slivers, Index const* adjacent, T* to, Seen<T>& seen) {
    Index const ahead = terms_ahead<T>(source.wide);
    for (Index p = 0; p < source.terms; ++p) {
        T const* const from = source.from + source.term_at[p];
        T const* const next = source.from + source.term_at[at_most(p + ahead, source.terms - 1)];
        for (Index s = 0; s < slivers.count; ++s) {
            Index const first = slivers.first(s), width = slivers.width(s), held = at_most(source.wide - first, width);
            T* const sliver = to + first * source.terms + p * width;
            for (Index w = 0; w < held;) {
                Index const run = at_most(adjacent[first + w], held - w), at = source.wide_at[first + w];
                Index done = 0;
                for (; done + lanes<T> <= run; done += lanes<T>) {
                    __builtin_prefetch(next + at + done);
                    Vector<T> const piece = *(Anywhere<T> const*)(from + at + done);
                    *(Anywhere<T>*)(sliver + w + done) = piece;
                    if constexpr (Look) seen.add(piece);
                }
                if (done < run) {
                    __builtin_prefetch(next + at + done);
                    Vector<T> const piece = first_lanes<T>(from + at + done, run - done);
                    set_first_lanes<T>(sliver + w + done, run - done, piece);
                    if constexpr (Look) seen.add(piece);
                }
                w += run;
            }
        }
    }
}

// ---- squares: what lies side by side in memory is not what lies side by side in slivers ----

/// The first or second halves of two vectors, element by element in turns.
template <class V, int... I>
V merged(V const& x, V const& y, int from, std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I);
    return from == 0 ? __builtin_shufflevector(x, y, (I / 2 + I % 2 * count)...)
                     : __builtin_shufflevector(x, y, (count / 2 + I / 2 + I % 2 * count)...);
}

/// Element j at from[i] + place becomes element i at to[j].
template <class T, int Side, bool Look>
inline void turn_square(T const* const (&from)[Side], Index place, T* const (&to)[Side], Seen<T>& seen) {
    typedef T Held __attribute__((vector_size(Side * sizeof(T))));
    using Anywhere = typename Group<T, Side>::Anywhere;
    constexpr std::make_integer_sequence<int, Side> numbers;
    Held rows[Side], turned[Side];
#pragma GCC unroll 8
    for (int i = 0; i < Side; ++i) rows[i] = *(Anywhere const*)(from[i] + place);
    if constexpr (Look)
        for (Held const& row : rows) {
            Vector<T> looked_at{};
            for (int lane = 0; lane < Side; ++lane) looked_at[lane] = row[lane];
            seen.add(looked_at);
        }
#pragma GCC unroll 3
    for (int round = 1; round < Side;
         round *= 2) {  // a perfect shuffle of all elements: an index's highest bit becomes its lowest
#pragma GCC unroll 8
        for (int i = 0; i < Side; ++i) turned[i] = merged(rows[i / 2], rows[i / 2 + Side / 2], i % 2, numbers);
#pragma GCC unroll 8
        for (int i = 0; i < Side; ++i) rows[i] = turned[i];
    }
#pragma GCC unroll 8
    for (int j = 0; j < Side; ++j) *(Anywhere*)(to[j]) = rows[j];
}

constexpr Index squares_ahead = 6;  // of what is fetched meanwhile
template <class T, int Side>
inline void fetch_square(T const* const (&from)[Side], Index place) {
    if constexpr (Side * sizeof(T) >= 32)  // smaller ones are few
#pragma GCC unroll 8
        for (int i = 0; i < Side; ++i) __builtin_prefetch(from[i] + place);
}

/// Which elements of a direction are packed already, and where squares of it begin; working memory. Of columns: where
/// each goes, and how far apart its terms are there.
struct Marks {
    Index *done, *begins, *place, *width;
};

/// How far apart elements are that lie side by side, in a direction's order; 0: none do.
inline Index period_of(Index const* at, Index count) {
    for (Index period = 1; period < count; ++period)
        if (at[period] == at[0] + 1) return period;
    return 0;
}
template <int Side>
bool side_by_side(Index const* at, Index const* done, Index first, Index period, Index count) {
    if (first + (Side - 1) * period >= count) return false;
    for (int j = 0; j < Side; ++j)
        if (done[first + j * period] != 0 || at[first + j * period] != at[first] + j) return false;
    return true;
}

inline void sort_by_place(Index* terms, Index count, Index const* at) {
    for (Index i = 1; i < count; ++i) {
        Index const term = terms[i];
        Index to = i;
        for (; to > 0 && at[terms[to - 1]] > at[term]; --to) terms[to] = terms[to - 1];
        terms[to] = term;
    }
}

/// Terms lie side by side, `period` apart: squares of some columns and terms, smaller ones for what is left.
template <class T, int Side, bool Look>
void pack_by_terms(Source<T> const& source, Slivers const& slivers, Index first_sliver, Index period, T* to,
                   Marks const& marks, Seen<T>& seen) {
    Index squares = 0;
    for (Index p = 0; p < source.terms; ++p) {
        if (marks.done[p] != 0 || !side_by_side<Side>(source.term_at, marks.done, p, period, source.terms)) continue;
        marks.begins[squares++] = p;
        for (int j = 0; j < Side; ++j) marks.done[p + j * period] = 1;
    }
    sort_by_place(marks.begins, squares, source.term_at);  // what is fetched together is used together
    for (Index s = first_sliver; s < slivers.count && squares > 0; ++s) {
        Index const first = slivers.first(s), width = slivers.width(s), held = at_most(source.wide - first, width);
        Index w = 0;
        for (; w + Side <= held; w += Side) {
            T const* from[Side];
            for (int i = 0; i < Side; ++i) from[i] = source.from + source.wide_at[first + w + i];
            for (Index k = 0; k < squares; ++k) {
                Index const p = marks.begins[k];
                fetch_square<T, Side>(from, source.term_at[marks.begins[at_most(k + squares_ahead, squares - 1)]]);
                T* square[Side];
                for (int j = 0; j < Side; ++j) square[j] = to + first * source.terms + (p + j * period) * width + w;
                turn_square<T, Side, Look>(from, source.term_at[p], square, seen);
            }
        }
        for (; w < held; ++w)
            for (Index k = 0; k < squares; ++k)
                for (int j = 0; j < Side; ++j) {
                    Index const p = marks.begins[k] + j * period;
                    T const value = source.from[source.wide_at[first + w] + source.term_at[p]];
                    if constexpr (Look) seen.add(value);
                    to[first * source.terms + p * width + w] = value;
                }
    }
    if constexpr (Side > 1) pack_by_terms<T, Side / 2, Look>(source, slivers, first_sliver, period, to, marks, seen);
}

inline void place_columns(Slivers const& slivers, Index wide, Index terms, Marks const& marks) {
    for (Index s = 0; s < slivers.count; ++s) {
        Index const first = slivers.first(s), width = slivers.width(s);
        for (Index w = first; w < at_most(first + width, wide); ++w) {
            marks.place[w] = first * terms + w - first;
            marks.width[w] = width;
        }
    }
}

/// Columns lie side by side, `period` apart: for each term, squares of columns, in the order in which memory has them.
template <class T, int Side, bool Look>
void pack_by_columns(Source<T> const& source, Index period, T* to, Marks const& marks, Seen<T>& seen) {
    Index squares = 0;
    for (Index w = 0; w + Side <= source.wide; ++w) {
        bool whole = true;
        for (int i = 0; i < Side && whole; ++i)
            whole = side_by_side<Side>(source.wide_at, marks.done, w + i, period, source.wide);
        for (int j = 0; j < Side && whole; ++j)  // within a sliver
            whole = marks.place[w + j * period + Side - 1] == marks.place[w + j * period] + Side - 1;
        if (!whole) continue;
        for (int i = 0; i < Side; ++i)
            for (int j = 0; j < Side; ++j) marks.done[w + i + j * period] = 1;
        marks.begins[squares++] = w;
        w += Side - 1;
    }
    sort_by_place(marks.begins, squares, source.wide_at);
    for (Index p = 0; p < source.terms; ++p) {
        T const* const term = source.from + source.term_at[p];
        for (Index k = 0; k < squares; ++k) {
            Index const w = marks.begins[k];
            T const *from[Side], *next[Side];
            T* square[Side];
            T const* const later =
                k + squares_ahead < squares ? term : source.from + source.term_at[at_most(p + 1, source.terms - 1)];
            Index const ahead = marks.begins[(k + squares_ahead) % squares];
#pragma GCC unroll 8
            for (int i = 0; i < Side; ++i) {
                from[i] = term + source.wide_at[w + i];
                next[i] = later + source.wide_at[ahead + i];
                Index const column = w + i * period;
                square[i] = to + marks.place[column] + p * marks.width[column];
            }
            fetch_square<T, Side>(next, 0);
            turn_square<T, Side, Look>(from, 0, square, seen);
        }
    }
    if constexpr (Side > 1) pack_by_columns<T, Side / 2, Look>(source, period, to, marks, seen);
}

template <class T>
void clear_beyond(Source<T> const& source, Slivers const& slivers, T* to) {
    Index const last = slivers.count - 1, first = slivers.first(last), width = slivers.width(last);
    for (Index p = 0; p < source.terms && source.wide < first + width; ++p)
        for (Index w = source.wide - first; w < width; ++w) to[first * source.terms + p * width + w] = T{};
}

constexpr Index least_run = 4;  // elements side by side, on average, from which on they are packed as they lie

/// Packs a block; slivers follow one another. @param Lanes  divides every sliver's width
template <class T, int Lanes, bool Look>
void pack(Source<T> const& source, Slivers const& slivers, T* to, Marks const& marks, Seen<T>& seen) {
    constexpr int side = Lanes < 8 ? Lanes : 8;
    clear_beyond(source, slivers, to);
    find_adjacent(source.wide_at, source.wide, marks.begins);
    Index runs = 0;
    for (Index w = 0; w < source.wide; w += marks.begins[w]) ++runs;
    if (runs * least_run <= source.wide || (runs == 1 && source.wide > 1))
        return pack_along<T, Look>(source, slivers, marks.begins, to, seen);
    Index const terms = period_of(source.term_at, source.terms);
    for (Index i = 0; i < (terms > 0 ? source.terms : source.wide); ++i) marks.done[i] = 0;
    if (terms > 0) pack_by_terms<T, side, Look>(source, slivers, 0, terms, to, marks, seen);
    if (terms > 0) return;
    place_columns(slivers, source.wide, source.terms, marks);
    pack_by_columns<T, side, Look>(source, period_of(source.wide_at, source.wide), to, marks, seen);
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
