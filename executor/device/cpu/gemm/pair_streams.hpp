// Few rows of a times rows of b that are read from end to end, for pair_loops.cpp: b would be packed for too few rows
// to pay, and tiles would read it in short pieces far apart. Sums wait in memory near by while a few terms at a time
// are added to all columns. Each sum gets its terms in the order in which a tile adds them: the same bits. Example: 16
// rows, 8 terms: 8 rows of b are read once, each of their vectors adds to the sums of 16 rows.
#pragma once

#include "executor/device/cpu/gemm/pair_rows.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

#if defined(__AVX512F__)
constexpr int terms_at_once = 8;  // registers for b beside those for the sums of a tile's rows
#else
constexpr int terms_at_once = 4;
#endif

/// Some terms of some rows: what each row multiplies each row of b by, and where the sums are. A row of complex numbers
/// is two, of its real and of its imaginary parts.
template <class T, int Count, int Terms>
struct TermsCall {
    alignas(64) T factors[Count][Terms];
    T const* const* b;      // of each term, the first column
    T const* const* ahead;  // rows of b that are needed next, so many of them: each of a's tiles fetches a part
    int fetched;
    T* sums;
    Index sums_row, columns;
};

template <class T, int Count, int Terms>
void add_terms(TermsCall<T, Count, Terms> const& call) {
    auto const add = [&](Index column, auto const& load) {
        Vector<T> b[Terms], sums[Count];
#pragma GCC unroll 8
        for (int t = 0; t < Terms; ++t) b[t] = load(call.b[t] + column);
        T* const to = call.sums + column;
#pragma GCC unroll 8
        for (int r = 0; r < Count; ++r) sums[r] = *(Vector<T> const*)(to + r * call.sums_row);
#pragma GCC unroll 8
        for (int t = 0; t < Terms; ++t)
#pragma GCC unroll 8
            for (int r = 0; r < Count; ++r) sums[r] = fused_sum(sums[r], call.factors[r][t] - Vector<T>{}, b[t]);
#pragma GCC unroll 8
        for (int r = 0; r < Count; ++r) *(Vector<T>*)(to + r * call.sums_row) = sums[r];
    };
    Index column = 0;
    for (; column + lanes<T> <= call.columns; column += lanes<T>) {
        for (int t = 0; t < call.fetched; ++t) __builtin_prefetch(call.ahead[t] + column, 0, 2);
        add(column, [](T const* from) -> Vector<T> { return *(Anywhere<T> const*)from; });
    }
    if (column < call.columns) add(column, [&](T const* from) { return first_lanes<T>(from, call.columns - column); });
}

/// The rows of a tile, some terms from `term` on.
template <class P, int Count, int Terms>
void add_rows(Rows<P> const& rows, Index first, Index term, TermsCall<typename P::T, Count, Terms>& call) {
    typename P::T const* const a = rows.a + first / P::parts * rows.row_step + term * rows.term_step;
    for (int r = 0; r < Count; ++r)
        for (int t = 0; t < Terms; ++t)
            call.factors[r][t] = a[r / P::parts * rows.row_step + r % P::parts + t * rows.term_step];
    add_terms(call);
}

/// Columns that lie side by side in b, and the sums of all rows there. Columns are counted in T.
template <class T>
struct Streamed {
    T const* b;
    Index const* term_at;  // in elements
    Index columns;
    T* sums;
    Index sums_row;  // a multiple of whole vectors
};

/// The sums of a row, once all terms are added.
template <class P>
typename P::T const* sums_of_row(Rows<P> const& rows, Index row, Streamed<typename P::T> const& part) {
    using T = typename P::T;
    T* const sums = part.sums + row * P::parts * part.sums_row;
    if constexpr (P::parts == 2)
        for (Index at = 0; at < part.columns; at += lanes<T>) {
            auto* const here = (Vector<T>*)(sums + at);
            *here = complex_sum<T>(*here, *(Vector<T> const*)(sums + part.sums_row + at), *rows.factors);
        }
    return sums;
}

/// Adds some terms, from `term` on, to the rows of tile `tile` of `tiles`. @param more  as many terms follow
template <class P, int Terms>
void stream_terms(Rows<P> const& rows, Index tile, Index tiles, Index term, bool more,
                  Streamed<typename P::T> const& part) {
    using T = typename P::T;
    T const *b[Terms], *ahead[Terms];
    for (int t = 0; t < Terms; ++t) {
        b[t] = part.b + part.term_at[term + t] * P::parts;
        if (more) ahead[t] = part.b + part.term_at[term + Terms + t] * P::parts;
    }
    Index const from = Terms * tile / tiles;
    int fetched = more ? static_cast<int>(Terms * (tile + 1) / tiles - from) : 0;
    T* const sums = part.sums + tile * P::rows * P::parts * part.sums_row;
    Index first = 0;
    auto const add = [&]<int Count>() {
        for (; rows.count * P::parts - first >= Count; first += Count, fetched = 0) {
            TermsCall<T, Count, Terms> call{
                {}, b, ahead + from, fetched, sums + first * part.sums_row, part.sums_row, part.columns};
            add_rows<P, Count, Terms>(rows, first, term, call);
        }
    };
    if constexpr (P::rows * P::parts > 4) add.template operator()<8>();
    add.template operator()<4>();
    add.template operator()<2>();
    if constexpr (P::parts == 1) add.template operator()<1>();
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
