// A few rows of a times a sliver of b, for pair_loops.cpp: runs a tile and stores what it gives, at once where columns
// lie side by side in c. Example: run_rows<P, 3> of 7 rows runs tiles of 4, 2 and 1 rows.
#pragma once

#include <cstdint>

#include "executor/device/cpu/gemm/pair_labels.hpp"
#include "executor/device/cpu/gemm/pair_tiles.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Where a sliver's outputs go: of each column, its place and how many columns from it on lie side by side there.
struct Columns {
    Index count;
    Index const *at, *adjacent;
    Pieces pieces;  // of its vectors; null where there are too many
};

inline bool begins_a_line(void const* place) { return reinterpret_cast<std::uintptr_t>(place) % 64 == 0; }
constexpr bool vectors_are_lines = vector_bytes == 64;

constexpr Index least_lanes = 4;  // fewer are stored one by one: a masked load waits for stores to what it leaves out

/// Distances and counts of columns in elements, as everywhere here; a complex number has two of T.
/// @param stream  whole lines go past the cache
template <class P>
void store_row(typename P::T const* from, Columns const& columns, typename P::T* c, typename P::T scale, bool combine,
               bool stream = false) {
    using T = typename P::T;
    constexpr Index parts = P::parts, least = least_lanes / parts;
    for (Index w = 0; w < columns.count;) {
        for (; w < columns.count && columns.adjacent[w] < least; ++w)
            for (Index part = 0; part < parts; ++part) {
                T* const to = c + columns.at[w] * parts + part;
                if constexpr (P::is_fused) {
                    T const value = from[w * parts + part] * scale;
                    *to = combine ? *to + value : value;
                } else {
                    Vector<T> const value = from[w] - Vector<T>{};
                    *to = combine ? P::combined(*to - Vector<T>{}, value)[0] : value[0];
                }
            }
        if (w == columns.count) return;
        Index const run = at_most(columns.adjacent[w], columns.count - w), end = run * parts;
        T* const to = c + columns.at[w] * parts;
        T const* const row = from + w * parts;
        w += run;
        Index at = 0;
        for (; at + lanes<T> <= end; at += lanes<T>) {
            Vector<T> value = *(Anywhere<T> const*)(row + at);
            if constexpr (P::is_fused) value *= scale;
            if (combine) value = P::combined(*(Anywhere<T> const*)(to + at), value);
            if constexpr (P::is_fused)
                store_vector<T>(to + at, value, stream && vectors_are_lines && begins_a_line(to + at));
            else
                *(Anywhere<T>*)(to + at) = value;
        }
        if (at == end) continue;
        Vector<T> value = first_lanes<T>(row + at, end - at);
        if constexpr (P::is_fused) value *= scale;
        set_first_lanes<T>(to + at, end - at, combine ? P::combined(first_lanes<T>(to + at, end - at), value) : value);
    }
}

/// A tile's height of rows of a, packed or where they lie, and what their tiles have in common.
template <class P>
struct Rows {
    typename P::T const* a;
    Index row_step, term_step;  // of T
    Index count;                // at most P::rows
    Index const* c_at;          // of each, in elements
    typename P::T* c;
    Index k;
    typename P::T scale;
    ComplexFactors<typename P::T> const* factors;  // of complex numbers, in place of scale
    Tile<typename P::T>* const* tiles;             // by vectors; of no use to fused ones, which have more of them
    bool combine, stream;
    bool fetch_next;       // the rows that follow at row_step, in place
    bool is_near = false;  // c is in the cache
};

/// Whether each vector of a tile is one piece.
template <class T, int Vectors>
bool vectors_lie_whole(Pieces const& pieces) {
    bool whole = true;
    for (int v = 0; v < Vectors; ++v) whole = whole && pieces.piece[pieces.first[v]].lanes == all_lanes<T>;
    return whole;
}

/// Whether what a tile of whole vectors writes are whole cache lines.
template <class T, int Vectors>
bool writes_lines(T const* const* to, Index rows, Pieces const& pieces) {
    auto const at = [&](int v) { return pieces.piece[pieces.first[v]].at; };
    bool lines = true;
    for (int v = 1; v < Vectors && !vectors_are_lines; ++v) lines = lines && at(v) == at(v - 1) + lanes<T>;
    for (Index r = 0; r < rows; ++r)
        for (int v = 0; v < (vectors_are_lines ? Vectors : 1); ++v) lines = lines && begins_a_line(to[r] + at(v));
    return lines;
}

/// Asks for what a tile writes of c, but for single elements and, with `stream`, whole lines.
template <class P>
void fetch_outputs(typename P::T* const* to, Index rows, Columns const& columns, bool stream) {
    using T = typename P::T;
    constexpr Index line = 64 / static_cast<Index>(sizeof(T));
    for (Index w = 0; w < columns.count;) {
        Index const run = at_most(columns.adjacent[w], columns.count - w), end = run * P::parts;
        if (end < least_lanes) return;
        for (Index r = 0; r < rows; ++r) {
            T* const place = to[r] + columns.at[w] * P::parts;
            if (stream && end % line == 0 && begins_a_line(place)) continue;
            for (Index e = 0; e < end; e += line) __builtin_prefetch(place + e, 1);
            __builtin_prefetch(place + end - 1, 1);
        }
        w += run;
    }
}

template <class P, int Count, int Vectors>
void run_tile(Rows<P> const& rows, Index first, typename P::T const* sliver, Columns const& columns) {
    using T = typename P::T;
    alignas(64) T out[Count * Vectors * lanes<T>];
    Index const count = at_most(rows.count - first, Count);
    T* to[Count];
    for (Index r = 0; r < count; ++r) to[r] = rows.c + rows.c_at[first + r] * P::parts;
    TileCall<T> call{};
    bool const in_pieces = count == Count && columns.pieces.piece != nullptr;
    bool const whole = in_pieces && P::is_fused && vectors_lie_whole<T, Vectors>(columns.pieces);
    bool const direct = whole || (in_pieces && stores_lanes && !rows.combine);
    bool const stream = rows.stream && whole && writes_lines<T, Vectors>(to, count, columns.pieces);
    if (!stream && !rows.is_near) fetch_outputs<P>(to, count, columns, rows.stream);
    call.a = rows.a + first * rows.row_step;
    call.a_row = rows.row_step;
    call.a_term = rows.term_step;
    call.b = sliver;
    call.k = rows.k;
    call.next = rows.fetch_next ? call.a + Count * rows.row_step : nullptr;
    call.out = direct ? nullptr : out;
    call.to = to;
    call.pieces = &columns.pieces;
    call.scale = rows.scale;
    call.factors = rows.factors;
    call.combine = rows.combine;
    call.stream = stream;
    if constexpr (P::is_fused) {
        using Plain = Product<PairJoin::multiply, PairAgg::sum, T>;
        tile<Plain, T, Count, Vectors, false, P::parts>(call);
    } else {
        rows.tiles[Vectors - 1](call);
    }
    if (direct) return;
    for (Index r = 0; r < count; ++r)
        store_row<P>(out + r * Vectors * lanes<T>, columns, to[r], P::parts == 1 ? rows.scale : T{1}, rows.combine,
                     rows.stream);
}

/// Rows of a tile: complex numbers have twice the sums.
template <class P, int Vectors>
constexpr int rows_at_once = P::parts == 1 || Vectors == 1 ? P::rows : P::rows / 2;

/// Rows times one sliver. Only the most frequent product has tiles of fewer rows: the others' are packed, and compute
/// with zeros.
template <class P, int Vectors>
void run_rows(Rows<P> const& rows, typename P::T const* sliver, Columns const& columns) {
    constexpr int most = rows_at_once<P, Vectors>;
    if constexpr (!P::is_fused) {
        run_tile<P, most, Vectors>(rows, 0, sliver, columns);
    } else {
        Index first = 0;
        for (; rows.count - first >= most; first += most) run_tile<P, most, Vectors>(rows, first, sliver, columns);
        Index const left = rows.count - first;
        if constexpr (most > 4)
            if (left & 4) run_tile<P, 4, Vectors>(rows, first, sliver, columns), first += 4;
        if constexpr (most > 2)
            if (left & 2) run_tile<P, 2, Vectors>(rows, first, sliver, columns), first += 2;
        if (left & 1) run_tile<P, 1, Vectors>(rows, first, sliver, columns);
    }
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
