// Packing of what lies side by side in memory, but not in slivers, for pair_pack.hpp: columns or terms are turned in
// squares, and what does not fill one in pieces of lines. Which columns belong together is found once for blocks that
// lie alike. Example: terms in runs of 30, lines of 16 columns: pieces of 16 and of 14 terms.
#pragma once

#include "executor/device/cpu/gemm/pair_slivers.hpp"
#include "executor/device/cpu/gemm/pair_squares.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Working memory: which elements of a direction are packed already; of each square where it begins, and how far it is
/// from where its strip begins; where its lines go; of columns where each goes, and how far apart its terms are there.
struct Marks {
    Index *done, *begins, *at, *target, *place, *width;
    Index *count, *whole, *jump;  // of pieces of columns how long they are; of lines how many elements go together, and
                                  // how far from them the others
};

/// In which order a block is packed: found once for blocks that lie alike. Of squares of columns, of each size.
struct Order {
    bool known = false, along = false;
    Index terms = 0, columns = 0;  // how far apart those are that lie side by side
    Index first[6] = {}, squares[6] = {};
    Index first_piece = 0, pieces = 0;
};

/// How far apart elements are that lie side by side, in a direction's order; 0: none do.
inline Index period_of(Index const* at, Index count) {
    for (Index period = 1; period < count; ++period)
        if (at[period] == at[0] + 1) return period;
    return 0;
}
/// Of elements that are not packed yet, how many from each on lie side by side; 0 of others.
inline void find_runs(Index const* at, Index const* done, Index period, Index count, Index* run) {
    for (Index i = count; i-- > 0;) {
        bool const goes_on = i + period < count && at[i + period] == at[i] + 1 && run[i + period] > 0;
        run[i] = done[i] != 0 ? 0 : goes_on ? run[i + period] + 1 : 1;
    }
}

/// Shell's sort: there are thousands, and mostly they are nearly in order.
inline void sort_by_place(Index* terms, Index count, Index const* at) {
    constexpr Index gaps[] = {2304, 701, 233, 77, 23, 8, 3, 1};
    for (Index const gap : gaps)
        for (Index i = gap; i < count; ++i) {
            Index const term = terms[i];
            Index to = i;
            for (; to >= gap && at[terms[to - gap]] > at[term]; to -= gap) terms[to] = terms[to - gap];
            terms[to] = term;
        }
}

template <int Side>
constexpr Index least_piece =
    Side / 4 + 1;  // elements of lines that are turned as a square is: fewer are in small ones

/// Terms lie side by side, `period` apart: pieces of runs, of at most `Side` terms; shorter runs stay, and all where
/// squares are enough. @return terms that are packed
template <class T, int Side, bool Look>
Index pack_term_pieces(Source<T> const& source, Slivers const& slivers, Index period, T* to, Marks const& marks,
                       Seen<T>& seen) {
    Index pieces = 0, packed = 0;
    find_runs(source.term_at, marks.done, period, source.terms, marks.target);
    for (Index p = 0; p < source.terms; ++p) {
        Index const count = at_most(marks.target[p], Side);
        if (marks.done[p] != 0 || count < least_piece<Side>) continue;
        marks.begins[pieces++] = p;
        packed += count;
        for (Index j = 0; j < count; ++j) marks.done[p + j * period] = 1;
    }
    if (packed == pieces * Side) {
        for (Index p = 0; p < source.terms; ++p) marks.done[p] = 0;
        return 0;
    }
    sort_by_place(marks.begins, pieces, source.term_at);  // what is fetched together is used together
    for (Index k = 0; k < pieces; ++k) {
        marks.at[k] = source.term_at[marks.begins[k]];
        marks.width[k] = at_most(marks.target[marks.begins[k]], Side);
    }
    Index const ahead = Side * steps_ahead<T>(Side * (packed + 1));
    for (Index s = 0; s < slivers.count && pieces > 0; ++s) {
        Index const first = slivers.first(s), width = slivers.width(s), held = at_most(source.wide - first, width);
        for (Index k = 0, all = 0; k < pieces; ++k)
            for (Index j = 0; j < marks.width[k]; ++j) marks.target[all++] = (marks.begins[k] + j * period) * width;
        for (Index w = 0; w < held; w += Side) {  // beyond the end the last column again: there is room for it
            Lines<T, Side> lines;
            for (int i = 0; i < Side; ++i) {
                lines.from[i] = source.from + source.wide_at[first + at_most(w + i, held - 1)];
                lines.next[i] = source.from + source.wide_at[at_most(first + w + ahead + i, source.wide - 1)];
            }
            turn_pieces<T, Side, Look, false>(lines, {marks.at, marks.width, marks.target, nullptr, nullptr}, 0, pieces,
                                              0, to + first * source.terms + w, seen);
        }
    }
    return packed;
}

/// Terms lie side by side, `period` apart: squares of some columns and terms, smaller ones for what is left.
/// @param left  terms that are not packed yet
template <class T, int Side, bool Look>
void pack_by_terms(Source<T> const& source, Slivers const& slivers, Index period, Index left, T* to, Marks const& marks,
                   Seen<T>& seen) {
    Index squares = 0;
    find_runs(source.term_at, marks.done, period, source.terms, marks.target);
    for (Index p = 0; p < source.terms; ++p) {
        if (marks.done[p] != 0 || marks.target[p] < Side) continue;
        marks.begins[squares++] = p;
        for (int j = 0; j < Side; ++j) marks.done[p + j * period] = 1;
    }
    sort_by_place(marks.begins, squares, source.term_at);  // what is fetched together is used together
    for (Index k = 0; k < squares; ++k) marks.at[k] = source.term_at[marks.begins[k]];
    Index const ahead = Side * steps_ahead<T>(Side * Side * (squares + 1));
    for (Index s = 0; s < slivers.count && squares > 0; ++s) {
        Index const first = slivers.first(s), width = slivers.width(s), held = at_most(source.wide - first, width);
        T* const sliver = to + first * source.terms;
        for (Index k = 0; k < squares; ++k)
            for (int j = 0; j < Side; ++j) marks.target[k * Side + j] = (marks.begins[k] + j * period) * width;
        Index w = 0;
        for (; w + Side <= held; w += Side) {
            Lines<T, Side> lines;
            for (int i = 0; i < Side; ++i) {
                lines.from[i] = source.from + source.wide_at[first + w + i];
                lines.next[i] = source.from + source.wide_at[at_most(first + w + ahead + i, source.wide - 1)];
            }
            turn_squares<T, Side, Look>(lines, marks.at, marks.target, squares, sliver + w, seen);
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
    left -= squares * Side;
    if constexpr (Side > 1)
        if (left > 0) pack_by_terms<T, Side / 2, Look>(source, slivers, period, left, to, marks, seen);
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

/// For each term some columns, one after the other.
template <class T, bool Look>
void pack_one_by_one(Source<T> const& source, Index const* begins, Index columns, T* to, Marks const& marks,
                     Seen<T>& seen) {
    for (Index p = 0; p < source.terms; ++p) {
        T const* const term = source.from + source.term_at[p];
        for (Index k = 0; k < columns; ++k) {
            Index const w = begins[k];
            T const value = term[source.wide_at[w]];
            if constexpr (Look) seen.add(value);
            to[marks.place[w] + p * marks.width[w]] = value;
        }
    }
}

/// Whether two squares are in one strip: each line goes on where it ended in the one before.
inline bool go_on(Index const* wide_at, Index before, Index next, Index side, Index elements) {
    bool goes_on = true;
    for (Index i = 0; i < side && goes_on; ++i) goes_on = wide_at[next + i] == wide_at[before + i] + elements;
    return goes_on;
}

/// How many columns from one on go to one place, at most `side`; 0: they go to more than two, or to slivers that
/// differ.
inline Index together(Index w, Index side, Marks const& marks) {
    Index whole = 1;
    while (whole < side && marks.place[w + whole] == marks.place[w] + whole) ++whole;
    if (whole == side) return side;
    Index const next = marks.place[w + whole], rest = side - whole;
    return marks.place[w + side - 1] == next + rest - 1 && marks.width[w + whole] == marks.width[w] ? whole : 0;
}

/// Of columns that are left, pieces of `side` lines, of runs of `least` elements up to as many.
/// @return columns that are packed so
inline Index find_column_pieces(Index const* wide_at, Index wide, Index side, Index least, Marks const& marks,
                                Order& order) {
    Index const period = order.columns;
    Index* const begins = marks.begins + order.first_piece;
    Index* const at = marks.at + order.first_piece;
    Index pieces = 0, packed = 0;
    if (period > 0) find_runs(wide_at, marks.done, period, wide, marks.target);
    for (Index w = 0; w + side <= wide && period > 0; ++w) {
        Index count = side;
        for (Index i = 0; i < side && count >= least; ++i)
            count = marks.done[w + i] != 0 ? 0 : at_most(marks.target[w + i], count);
        count = at_most(count, (wide - side - w) / period + 1);
        for (Index j = 0; j < count; ++j)
            if (together(w + j * period, side, marks) == 0) count = j;
        if (count < least) continue;
        for (Index i = 0; i < side; ++i)
            for (Index j = 0; j < count; ++j) {  // some of them twice, where the period is shorter than a side
                packed += marks.done[w + i + j * period] == 0 ? 1 : 0;
                marks.done[w + i + j * period] = 1;
            }
        begins[pieces++] = w;
        marks.count[w] = count;
        w += side - 1;
    }
    order.pieces = pieces;
    sort_by_place(begins, pieces, wide_at);
    for (Index k = 0; k < pieces; ++k) {
        Index const before = k > 0 ? begins[k - 1] : 0;
        bool const goes_on = k > 0 && go_on(wide_at, before, begins[k], side, marks.count[before]);
        at[k] = goes_on ? at[k - 1] + marks.count[before] : 0;
    }
    return packed;
}

/// Columns lie side by side, `period` apart: finds squares of them, of `side` and less, in the order in which memory
/// has them; of each where it begins, and how far it is from where its strip begins.
/// @param least_of_piece  pieces that have so many elements come after the largest squares; 0: there are none
inline void find_squares(Index const* wide_at, Index wide, Index side, Index least_of_piece, Marks const& marks,
                         Order& order) {
    Index const period = order.columns;
    Index left = wide, first = 0;
    for (int level = 0; side > 0; side /= 2, ++level) {
        Index squares = 0;
        Index* const begins = marks.begins + first;
        Index* const at = marks.at + first;
        order.first[level] = first;
        if (left > 0) find_runs(wide_at, marks.done, period, wide, marks.target);
        for (Index w = 0; w + side <= wide && left > 0; ++w) {
            bool whole = true;
            for (Index i = 0; i < side && whole; ++i) whole = marks.done[w + i] == 0 && marks.target[w + i] >= side;
            for (Index j = 0; j < side && whole; ++j)  // within a sliver
                whole = marks.place[w + j * period + side - 1] == marks.place[w + j * period] + side - 1;
            if (!whole) continue;
            for (Index i = 0; i < side; ++i)
                for (Index j = 0; j < side; ++j) {  // some of them twice, where the period is shorter than a side
                    left -= marks.done[w + i + j * period] == 0 ? 1 : 0;
                    marks.done[w + i + j * period] = 1;
                }
            begins[squares++] = w;
            w += side - 1;
        }
        sort_by_place(begins, squares, wide_at);
        for (Index k = 0; k < squares; ++k)
            at[k] = k > 0 && go_on(wide_at, begins[k - 1], begins[k], side, side) ? at[k - 1] + side : 0;
        order.squares[level] = squares;
        first += squares;
        if (level > 0 || least_of_piece == 0 || left == 0) continue;
        order.first_piece = first;
        left -= find_column_pieces(wide_at, wide, side, least_of_piece, marks, order);
        first += order.pieces;
    }
}

/// For each term, pieces of columns.
/// @param step  from term to term in slivers that are all as wide; 0: they are not
template <class T, int Side, bool Look>
void pack_column_pieces(Source<T> const& source, Order const& order, Index step, T* to, Marks const& marks,
                        Seen<T>& seen) {
    Index const pieces = order.pieces, period = order.columns;
    Index const *const begins = marks.begins + order.first_piece, *const from_strip = marks.at + order.first_piece;
    Index* const count = marks.count + source.wide;
    Index all = 0;
    for (Index k = 0; k < pieces; ++k) {
        Index const begin = begins[k];
        count[k] = marks.count[begin];
        for (Index j = 0; j < count[k]; ++j, ++all) {
            marks.target[all] = marks.place[begin + j * period];
            marks.whole[all] = together(begin + j * period, Side, marks);
            marks.jump[all] = marks.width[begin + j * period] * (source.terms - 1);
        }
    }
    Index const ahead = steps_ahead<T>(source.wide);
    for (Index p = 0; p < source.terms && pieces > 0; ++p) {
        T const* const term = source.from + source.term_at[p];
        T const* const later = source.from + source.term_at[at_most(p + ahead, source.terms - 1)];
        for (Index k = 0, target = 0; k < pieces;) {
            Lines<T, Side> lines;
            for (int i = 0; i < Side; ++i) {
                Index const at = source.wide_at[begins[k] + i];
                lines.from[i] = term + at;
                lines.next[i] = later + at;
            }
            Index const strip = k;
            Index elements = count[k++];
            while (k < pieces && from_strip[k] > 0) elements += count[k++];
            turn_pieces<T, Side, Look, true>(lines, {from_strip, count, marks.target, marks.whole, marks.jump}, strip,
                                             k, target, to + p * step, seen);
            target += elements;
        }
        for (Index k = 0, at = 0; k < pieces && step == 0; ++k)  // the next term
            for (Index j = 0; j < count[k]; ++j) marks.target[at++] += marks.width[begins[k] + j * period];
    }
}

/// For each term, squares of columns of `Side` and less.
/// @param step  from term to term in slivers that are all as wide; 0: they are not
/// @tparam Most  sides of the largest squares
template <class T, int Side, int Most, bool Look>
void pack_by_columns(Source<T> const& source, Order const& order, int level, Index step, T* to, Marks const& marks,
                     Seen<T>& seen) {
    Index const squares = order.squares[level], period = order.columns;
    Index const *const begins = marks.begins + order.first[level], *const from_strip = marks.at + order.first[level];
    if constexpr (Side == 1) return pack_one_by_one<T, Look>(source, begins, squares, to, marks, seen);
    for (Index k = 0; k < squares; ++k)
        for (int j = 0; j < Side; ++j) marks.target[k * Side + j] = marks.place[begins[k] + j * period];
    Index const ahead = steps_ahead<T>(source.wide);
    for (Index p = 0; p < source.terms && squares > 0; ++p) {
        T const* const term = source.from + source.term_at[p];
        T const* const later = source.from + source.term_at[at_most(p + ahead, source.terms - 1)];
        for (Index k = 0; k < squares;) {
            Lines<T, Side> lines;
            for (int i = 0; i < Side; ++i) {
                Index const at = source.wide_at[begins[k] + i];
                lines.from[i] = term + at;
                lines.next[i] = later + at;
            }
            Index const strip = k++;
            while (k < squares && from_strip[k] > 0) ++k;
            turn_squares<T, Side, Look>(lines, from_strip + strip, marks.target + strip * Side, k - strip,
                                        to + p * step, seen);
        }
        for (Index k = 0; k < squares && step == 0; ++k)  // the next term
            for (int j = 0; j < Side; ++j) marks.target[k * Side + j] += marks.width[begins[k] + j * period];
    }
    if constexpr (turns_pieces && Side == Most) pack_column_pieces<T, Side, Look>(source, order, step, to, marks, seen);
    if constexpr (Side > 1) pack_by_columns<T, Side / 2, Most, Look>(source, order, level + 1, step, to, marks, seen);
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
