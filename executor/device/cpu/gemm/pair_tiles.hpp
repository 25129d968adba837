// Tiles of products of pairs, for pair_loops.cpp alone: as many outputs as registers hold, of a few rows and a few
// vectors of columns. Leaves to pair_loops.cpp how a product is cut into tiles, which is compiled once for all joins
// that share it (Frame), and to pair_vectors.hpp what is done to vectors. Example: tile<Product<PairJoin::add,
// PairAgg::min, float>, float, 4, 2, false> is least sums of 4 rows and 2 vectors.
#pragma once

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// What is compiled once for all joins that share it: how blocks are cut, packed and stored. Only tiles know the join.
/// @tparam Fused  the one product whose sums are fused  @tparam Careful  operands may make nans that others do not make
template <PairAgg Agg, class Element, bool Fused, bool Careful>
struct Frame {
    using T = Element;
    static constexpr bool is_fused = Fused, takes_care = Careful;
#if defined(__AVX512F__)
    static constexpr int rows = 8, vectors = 3;
#else
    static constexpr int rows = 4, vectors = is_fused ? 3 : 2;
#endif
    static constexpr Index columns = vectors * lanes<T>;
    static constexpr Index unit = is_fused ? lanes<T> : columns;  // of which packed columns are a multiple

    static Vector<T> combined(Vector<T> held, Vector<T> value) { return agg_of<Agg, T, true>(held, value); }
};

template <PairJoin Join, PairAgg Agg, class T>
constexpr bool fuses = fused&& real<T>&& Join == PairJoin::multiply&& Agg == PairAgg::sum;
/// Where nans may come: sums and products keep them by themselves.
template <PairJoin Join, PairAgg Agg, class T>
constexpr bool cares = real<T> && (Agg != PairAgg::sum || Join == PairJoin::least || Join == PairJoin::most);

/// One pair of operations.
template <PairJoin Join, PairAgg Agg, class T>
struct Product {
    using Shape = Frame<Agg, T, fuses<Join, Agg, T>, cares<Join, Agg, T>>;
    static constexpr T identity = EIN_INSTRUCTION_SET::identity<Agg, T>;

    template <bool Careful>
    static Vector<T> with_term(Vector<T> held, Vector<T> a, Vector<T> b) {
        if constexpr (Shape::is_fused)
            return fused_sum(held, a, b);
        else
            return agg_of<Agg, T, Careful>(held, join_of<Join, T, Careful>(a, b));
    }
};

// ---- tiles ----

/// Rows of a are a_row apart, their terms a_term. Meanwhile as many terms of rows that are needed next are fetched, if
/// `next` is not null.
template <class P, class T, int Rows, int Vectors, bool Careful>
__attribute__((noinline)) void tile(T const* a, Index a_row, Index a_term, T const* b, Index k, T const* next, T* out) {
    constexpr Index line = 64 / static_cast<Index>(sizeof(T));
    Vector<T> held[Rows][Vectors];
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) held[r][v] = P::identity - Vector<T>{};
    for (Index p = 0; p < k; ++p, a += a_term, b += Vectors * lanes<T>) {
        if (next != nullptr && p % line == 0)
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) __builtin_prefetch(next + r * a_row + p);
        Vector<T> columns[Vectors];
        for (int v = 0; v < Vectors; ++v) columns[v] = *(Vector<T> const*)(b + v * lanes<T>);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            Vector<T> const row = a[r * a_row] - Vector<T>{};  // to all lanes; less 0 is the same for all numbers
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) held[r][v] = P::template with_term<Careful>(held[r][v], row, columns[v]);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) *(Vector<T>*)(out + (r * Vectors + v) * lanes<T>) = held[r][v];
}

template <class T>
using Tile = void(T const* a, Index a_row, Index a_term, T const* b, Index k, T const* next, T* out);

/// What a frame has of its join: whole tiles, which none but fused ones are content with.
template <class T>
struct JoinTiles {
    Tile<T>*plain, *careful;
    bool (*may_be_nan)(Seen<T> const&, Seen<T> const&);
};

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
