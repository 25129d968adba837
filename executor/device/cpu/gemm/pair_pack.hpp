// Packing for pair_loops.cpp. A block of an operand becomes slivers, in which the elements of each term lie side by
// side; they are read in the order in which memory has them, whatever their labels.
#pragma once

#include "executor/device/cpu/gemm/pair_slivers.hpp"
#include "executor/device/cpu/gemm/pair_turned.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

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
                find_squares(source.wide_at, source.wide, Lanes, turns_pieces ? least_piece<Lanes> : 0, marks, order);
            }
        }
    }
    if (order.along) return pack_along<T, Look>(source, slivers, marks.begins, to, seen);
    Index const step = slivers.more == 0 ? slivers.width(0) : 0;
    if (order.terms == 0) return pack_by_columns<T, Lanes, Lanes, Look>(source, order, 0, step, to, marks, seen);
    for (Index p = 0; p < source.terms; ++p) marks.done[p] = 0;
    Index left = source.terms;
    if constexpr (turns_pieces) left -= pack_term_pieces<T, Lanes, Look>(source, slivers, order.terms, to, marks, seen);
    if (left > 0) pack_by_terms<T, Lanes, Look>(source, slivers, order.terms, left, to, marks, seen);
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
