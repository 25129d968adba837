// Packing for pair_loops.cpp. A block of an operand becomes slivers, in which the elements of each term lie side by
// side; they are read in the order in which memory has them, whatever their labels.
#pragma once

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index at_most(Index value, Index limit) { return value < limit ? value : limit; }
constexpr Index parts_of(Index value, Index part) { return (value + part - 1) / part; }

// ---- where elements lie ----

/// Where iterations first ... first + count - 1 of some labels lie in one of their matrices, in elements.
void find(PairLabels const& labels, Index first, Index count, int side, Index* to) {
    if (labels.labels == 0) {
        *to = 0;
        return;
    }
    PairLabel const& inner = labels.label[labels.labels - 1];
    Index const step = inner.step[side];
    while (count > 0) {
        Index begin = first, at = 0;
        if (labels.labels > 1) {
            begin = first % inner.length;
            Index rest = first / inner.length;
            for (int l = labels.labels - 2; l >= 0 && rest > 0; --l) {
                at += rest % labels.label[l].length * labels.label[l].step[side];
                rest /= labels.label[l].length;
            }
        }
        Index const run = labels.labels > 1 ? at_most(inner.length - begin, count) : count;
        at += begin * step;
        for (Index i = 0; i < run; ++i, at += step) to[i] = at;
        to += run;
        first += run;
        count -= run;
    }
}

/// The step between elements, or 0 where there is none that all have.
Index even_step(Index const* at, Index count) {
    if (count < 2) return 1;
    Index const step = at[1] - at[0];
    for (Index i = 2; i < count; ++i)
        if (at[i] - at[i - 1] != step) return 0;
    return step;
}

/// How many elements from each on lie side by side.
void find_adjacent(Index const* at, Index count, Index* adjacent) {
    for (Index i = count; i-- > 0;) adjacent[i] = i + 1 < count && at[i + 1] == at[i] + 1 ? adjacent[i + 1] + 1 : 1;
}

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
    return at_most(1 + (Index{16} << 10) / bytes, 64);
}

/// Elements that lie side by side, `Lanes` at a time, term after term: all slivers of a term come from one place.
template <class T, int Lanes, bool Look>
void pack_along(Source<T> const& source, Slivers const& slivers, Index count, T* to, Seen<T>& seen) {
    using Piece = typename Group<T, Lanes>::Anywhere;
    Index const ahead = terms_ahead<T>(slivers.first(count));
    for (Index p = 0; p < source.terms; ++p)
        for (Index s = 0; s < count; ++s) {
            Index const first = slivers.first(s), width = slivers.width(s);
            T const* const from = source.from + source.wide_at[first] + source.term_at[p];
            T const* const next = from - source.term_at[p] + source.term_at[at_most(p + ahead, source.terms - 1)];
            T* const sliver = to + first * source.terms + p * width;
            for (Index w = 0; w < width; w += Lanes) {
                __builtin_prefetch(next + w);
                Piece const piece = *(Piece const*)(from + w);
                *(Piece*)(sliver + w) = piece;
                if constexpr (Look) {
                    Vector<T> seen_now{};
                    for (int lane = 0; lane < Lanes; ++lane) seen_now[lane] = piece[lane];
                    seen.add(seen_now);
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

/// Which elements of a direction are packed already, and where squares of it begin; working memory.
struct Marks {
    Index *done, *begins;
};

/// How far apart elements are that lie side by side, in a direction's order; 0: none do.
Index period_of(Index const* at, Index count) {
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

void sort_by_place(Index* terms, Index count, Index const* at) {
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

/// Columns lie side by side, `period` apart: for each term, squares of columns.
template <class T, int Side, bool Look>
void pack_by_columns(Source<T> const& source, Slivers const& slivers, Index first_column, Index period, T* to,
                     Marks const& marks, Seen<T>& seen) {
    for (Index w = first_column; w < source.wide; ++w) {
        T const* from[Side];
        T* square[Side];
        Index step[Side];
        bool whole = true;
        for (int i = 0; i < Side && whole; ++i) {
            whole = w + i < source.wide && side_by_side<Side>(source.wide_at, marks.done, w + i, period, source.wide);
            if (whole) from[i] = source.from + source.wide_at[w + i];
        }
        for (int j = 0; j < Side && whole; ++j) {
            Index const column = w + j * period, s = slivers.of(column), first = slivers.first(s);
            step[j] = slivers.width(s);
            square[j] = to + first * source.terms + column - first;
            whole = column + Side <= first + step[j];
        }
        if (!whole) continue;
        for (int i = 0; i < Side; ++i)
            for (int j = 0; j < Side; ++j) marks.done[w + i + j * period] = 1;
        for (Index p = 0; p < source.terms; ++p) {
            fetch_square<T, Side>(from, source.term_at[at_most(p + squares_ahead, source.terms - 1)]);
            turn_square<T, Side, Look>(from, source.term_at[p], square, seen);
            for (int j = 0; j < Side; ++j) square[j] += step[j];
        }
        w += Side - 1;
    }
    if constexpr (Side > 1) pack_by_columns<T, Side / 2, Look>(source, slivers, first_column, period, to, marks, seen);
}

template <class T>
void clear_beyond(Source<T> const& source, Slivers const& slivers, T* to) {
    Index const last = slivers.count - 1, first = slivers.first(last), width = slivers.width(last);
    for (Index p = 0; p < source.terms && source.wide < first + width; ++p)
        for (Index w = source.wide - first; w < width; ++w) to[first * source.terms + p * width + w] = T{};
}

/// Packs a block; slivers follow one another. @param Lanes  divides every sliver's width
template <class T, int Lanes, bool Look>
void pack(Source<T> const& source, Slivers const& slivers, T* to, Marks const& marks, Seen<T>& seen) {
    constexpr int side = Lanes < 8 ? Lanes : 8;
    Index along = 0;  // slivers that are whole and lie side by side
    while (along < slivers.count && slivers.first(along + 1) <= source.wide &&
           even_step(source.wide_at + slivers.first(along), slivers.width(along)) == 1)
        ++along;
    if (along > 0) pack_along<T, Lanes, Look>(source, slivers, along, to, seen);
    if (along == slivers.count) return;
    Index const first = slivers.first(along), terms = period_of(source.term_at, source.terms);
    for (Index i = 0; i < (terms > 0 ? source.terms : source.wide); ++i) marks.done[i] = 0;
    if (terms > 0)
        pack_by_terms<T, side, Look>(source, slivers, along, terms, to, marks, seen);
    else
        pack_by_columns<T, side, Look>(source, slivers, first, period_of(source.wide_at + first, source.wide - first),
                                       to, marks, seen);
    clear_beyond(source, slivers, to);
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
