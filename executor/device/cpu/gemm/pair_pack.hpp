// Packing for pair_loops.cpp. A block of an operand becomes slivers, in which the elements of each term lie side by
// side; they are read in the order in which memory has them, whatever their labels.
#pragma once

#include "executor/device/cpu/gemm/pair_labels.hpp"
#include "executor/device/cpu/gemm/pair_squares.hpp"

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
    Index width(Index sliver) const { return (each + (sliver < more ? 1 : 0)) * unit; }
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

/// What is packed is fetched some steps before, of so many elements: memory does not guess where the next one begins.
template <class T>
Index steps_ahead(Index elements) {
    Index const bytes = elements * static_cast<Index>(sizeof(T));
    return at_most(1 + (Index{4} << 10) / bytes, 8);  // steps may lie a multiple of a page apart, and share a cache set
}

/// Fewer elements than a vector, in halves of one and less: AMD's processors take some ten cycles for a masked store.
template <class T, int Most>
inline void copy_rest(T const* from, Index count, T* to) {
    if (count & Most) {
        using Anywhere = typename Group<T, Most>::Anywhere;
        *(Anywhere*)to = *(Anywhere const*)from;
        from += Most;
        to += Most;
    }
    if constexpr (Most > 1) copy_rest<T, Most / 2>(from, count, to);
}

/// Elements that lie side by side. @param next  where those lie that are copied some terms later
template <class T, bool Look>
inline void copy_run(T const* from, T const* next, Index count, T* to, Seen<T>& seen) {
    Index done = 0;
    for (; done + lanes<T> <= count; done += lanes<T>) {
        __builtin_prefetch(next + done);
        Vector<T> const piece = *(Anywhere<T> const*)(from + done);
        *(Anywhere<T>*)(to + done) = piece;
        if constexpr (Look) seen.add(piece);
    }
    if (done == count) return;
    __builtin_prefetch(next + done);
    if constexpr (Look) seen.add(first_lanes<T>(from + done, count - done));
    copy_rest<T, lanes<T> / 2>(from + done, count - done, to + done);
}

/// As pack_along, of whole slivers of one width that lie side by side each.
template <class T, int Width>
void pack_whole(Source<T> const& source, Index slivers, T* to) {
    constexpr Index line = 64 / static_cast<Index>(sizeof(T));
    Index const ahead = steps_ahead<T>(source.wide);
    for (Index p = 0; p < source.terms; ++p) {
        T const* const from = source.from + source.term_at[p];
        T const* const next = source.from + source.term_at[at_most(p + ahead, source.terms - 1)];
        for (Index w = 0; w < source.wide; w += line) __builtin_prefetch(next + source.wide_at[w]);
        for (Index s = 0; s < slivers; ++s)
            __builtin_memcpy(to + (s * source.terms + p) * Width, from + source.wide_at[s * Width], Width * sizeof(T));
    }
}

/// @return false where it was not done
template <class T>
bool pack_whole(Source<T> const& source, Slivers const& slivers, Index const* adjacent, T* to) {
    Index const width = slivers.width(0);
    if (slivers.more != 0 || source.wide != slivers.count * width) return false;
    for (Index s = 0; s < slivers.count; ++s)
        if (adjacent[s * width] < width) return false;
    constexpr int vector = lanes<T>;
    if (width == vector / 2) return pack_whole<T, vector / 2>(source, slivers.count, to), true;
    if (width == vector) return pack_whole<T, vector>(source, slivers.count, to), true;
    if (width == 2 * vector) return pack_whole<T, 2 * vector>(source, slivers.count, to), true;
    if (width == 3 * vector) return pack_whole<T, 3 * vector>(source, slivers.count, to), true;
    return false;
}

/// Elements that lie side by side in runs, term after term: all slivers of a term come from one place.
/// @param adjacent  how many from each on lie side by side
template <class T, bool Look>
void pack_along(Source<T> const& source, Slivers const& slivers, Index const* adjacent, T* to, Seen<T>& seen) {
    if constexpr (!Look)
        if (pack_whole(source, slivers, adjacent, to)) return;
    Index const ahead = steps_ahead<T>(source.wide);
    for (Index p = 0; p < source.terms; ++p) {
        T const* const from = source.from + source.term_at[p];
        T const* const next = source.from + source.term_at[at_most(p + ahead, source.terms - 1)];
        for (Index s = 0, first = 0; s < slivers.count; ++s) {
            Index const width = slivers.width(s), held = at_most(source.wide - first, width);
            T* const sliver = to + first * source.terms + p * width;
            for (Index w = 0; w < held;) {
                Index const run = at_most(adjacent[first + w], held - w), at = source.wide_at[first + w];
                copy_run<T, Look>(from + at, next + at, run, sliver + w, seen);
                w += run;
            }
            first += width;
        }
    }
}

// ---- squares ----

/// Working memory: which elements of a direction are packed already; of each square where it begins, and how far it is
/// from where its strip begins; where its lines go; of columns where each goes, and how far apart its terms are there.
struct Marks {
    Index *done, *begins, *at, *target, *place, *width;
};

/// In which order a block is packed: found once for blocks that lie alike. Of squares of columns, of each size.
struct Order {
    bool known = false, along = false;
    Index terms = 0, columns = 0;  // how far apart those are that lie side by side
    Index first[6] = {}, squares[6] = {};
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

/// Columns lie side by side, `period` apart: finds squares of them, of `side` and less, in the order in which memory
/// has them; of each where it begins, and how far it is from where its strip begins.
inline void find_squares(Index const* wide_at, Index wide, Index side, Marks const& marks, Order& order) {
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
        for (Index k = 0; k < squares; ++k) {  // in one strip: each line goes on where it ended in the square before
            bool goes_on = k > 0;
            for (Index i = 0; i < side && goes_on; ++i)
                goes_on = wide_at[begins[k] + i] == wide_at[begins[k - 1] + i] + side;
            at[k] = goes_on ? at[k - 1] + side : 0;
        }
        order.squares[level] = squares;
        first += squares;
    }
}

/// For each term, squares of columns of `Side` and less.
/// @param step  from term to term in slivers that are all as wide; 0: they are not
template <class T, int Side, bool Look>
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
    if constexpr (Side > 1) pack_by_columns<T, Side / 2, Look>(source, order, level + 1, step, to, marks, seen);
}

template <class T>
void clear_beyond(Source<T> const& source, Slivers const& slivers, T* to) {
    Index const last = slivers.count - 1, first = slivers.first(last), width = slivers.width(last);
    for (Index p = 0; p < source.terms && source.wide < first + width; ++p)
        for (Index w = source.wide - first; w < width; ++w) to[first * source.terms + p * width + w] = T{};
}

constexpr Index least_run = 4;  // elements side by side, on average, from which on they are packed as they lie

/// Packs a block; slivers follow one another. @param Lanes  divides every sliver's width
/// @param order  with `marks` as it was left: that of a block that lies alike, or not known yet
template <class T, int Lanes, bool Look>
void pack(Source<T> const& source, Slivers const& slivers, T* to, Marks const& marks, Order& order, Seen<T>& seen) {
    clear_beyond(source, slivers, to);
    if (!order.known) {
        order.known = true;
        find_adjacent(source.wide_at, source.wide, marks.begins);
        Index runs = 0;
        for (Index w = 0; w < source.wide; w += marks.begins[w]) ++runs;
        order.along = runs * least_run <= source.wide || (runs == 1 && source.wide > 1);
        if (!order.along) {
            order.terms = period_of(source.term_at, source.terms);
            order.columns = order.terms > 0 ? 0 : period_of(source.wide_at, source.wide);
            if (order.terms == 0) {
                for (Index w = 0; w < source.wide; ++w) marks.done[w] = 0;
                place_columns(slivers, source.wide, source.terms, marks);
                find_squares(source.wide_at, source.wide, Lanes, marks, order);
            }
        }
    }
    if (order.along) return pack_along<T, Look>(source, slivers, marks.begins, to, seen);
    Index const step = slivers.more == 0 ? slivers.width(0) : 0;
    if (order.terms == 0) return pack_by_columns<T, Lanes, Look>(source, order, 0, step, to, marks, seen);
    for (Index p = 0; p < source.terms; ++p) marks.done[p] = 0;
    pack_by_terms<T, Lanes, Look>(source, slivers, order.terms, source.terms, to, marks, seen);
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
