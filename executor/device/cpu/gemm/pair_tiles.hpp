// Tiles of products of pairs, for pair_loops.cpp alone: as many outputs as registers hold, of a few rows and a few
// vectors of columns. Leaves to pair_loops.cpp how a product is cut into tiles, which is compiled once for all joins
// that share it (Frame), and to pair_vectors.hpp what is done to vectors. Example: tile<Product<PairJoin::add,
// PairAgg::min, float>, float, 4, 2, false> is least sums of 4 rows and 2 vectors.
#pragma once

#include <utility>

#include "executor/device/cpu/gemm/pair_pieces.hpp"
#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// What is compiled once for all joins that share it: how blocks are cut, packed and stored. Only tiles know the join.
/// An operand's elements are moved as one (Element); `T` is what is computed with.
/// @tparam Fused  the one product whose sums are fused  @tparam Careful  operands may make nans that others do not make
/// @tparam Parts  of an element: 2 for complex numbers, whose tiles have twice the sums (ComplexFactors)
template <PairAgg Agg, class Number, bool Fused, bool Careful, int Parts = 1>
struct Frame {
    using T = Number;
    using Element = ElementOf<Number, Parts>;
    static constexpr bool is_fused = Fused, takes_care = Careful;
    static constexpr int parts = Parts;
#if defined(__AVX512F__)
    static constexpr int rows = 8, vectors = 3;
#else
    static constexpr int rows = 4, vectors = is_fused ? 3 : 2;
#endif
    static constexpr Index lane = lanes<T> / parts;   // elements of a vector
    static constexpr Index columns = vectors * lane;  // of the widest tiles; there are narrower ones, for a short side

    static Vector<T> combined(Vector<T> held, Vector<T> value) { return agg_of<Agg, T, true>(held, value); }
};

template <PairJoin Join, PairAgg Agg, class T>
constexpr bool fuses = fused&& real<T>&& Join == PairJoin::multiply&& Agg == PairAgg::sum;
/// The same of a difference times itself.
template <PairJoin Join, PairAgg Agg, class T>
constexpr bool fuses_squares = fused&& real<T>&& Join == PairJoin::square&& Agg == PairAgg::sum;
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
        if constexpr (Shape::is_fused) {
            return fused_sum(held, a, b);
        } else if constexpr (fuses_squares<Join, Agg, T>) {
            Vector<T> const difference = difference_of<T>(a, b);
            return fused_sum(held, difference, difference);
        } else {
            return agg_of<Agg, T, Careful>(held, join_of<Join, T, Careful>(a, b));
        }
    }
};

// ---- complex numbers ----

/// A vector of complex numbers is (re, im) in turns. It is multiplied by the real part of another number and, apart, by
/// the imaginary part; once all terms are added, the second sums change places in pairs, and both are added. So parts
/// are never taken apart, and a conjugate is a sign of the sums. Example: 2 + 3i times (5, 7) is (10, 14), (15, 21),
/// which is (10 - 21, 14 + 15).
template <class T>
struct ComplexFactors {
    Vector<T> direct, crossed;  // of sums with real parts, and of those with imaginary ones after their change

    /// @param conjugate_one  that whose parts multiply  @param conjugate_vector  the vector
    ComplexFactors(T scale, bool conjugate_one, bool conjugate_vector) {
        for (int lane = 0; lane < lanes<T>; ++lane) {
            bool const real_part = lane % 2 == 0;
            direct[lane] = conjugate_vector && !real_part ? -scale : scale;
            crossed[lane] = (real_part ? conjugate_one == conjugate_vector : conjugate_one) ? -scale : scale;
        }
    }
};

template <class T, int... I>
Vector<T> with_parts_exchanged(Vector<T> value, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(value, value, (I ^ 1)...);
}
template <class T>
Vector<T> complex_sum(Vector<T> by_real, Vector<T> by_imaginary, ComplexFactors<T> const& factors) {
    constexpr std::make_integer_sequence<int, lanes<T>> numbers;
    return fused_sum(by_real * factors.direct, with_parts_exchanged<T>(by_imaginary, numbers), factors.crossed);
}

// ---- tiles ----

/// How a tile's rows and terms lie, and where its outputs go. Distances in T, of complex numbers too.
template <class T>
struct TileCall {
    T const* a;
    Index a_row, a_term;
    T const* b;
    Index k;
    T const* next;  // rows that are needed next, which lie as these do, fetched meanwhile; null: none
    T* out;         // the tile, row after row; or, if it is null:
    T* const* to;   // where each row goes,
    Pieces const*
        pieces;  // and from there its vectors: not copied, since what was just stored apart is not loaded together
    T scale;
    ComplexFactors<T> const* factors;  // of complex numbers, in place of scale
    bool combine, stream;              // with what is there; past the cache
};

template <class T>
void store_vector(T* to, Vector<T> value, [[maybe_unused]] bool stream) {
#if defined(__AVX512F__)
    if (stream) {
        if constexpr (sizeof(T) == 4)
            _mm512_stream_ps(reinterpret_cast<float*>(to), (__m512)value);
        else
            _mm512_stream_pd(reinterpret_cast<double*>(to), (__m512d)value);
        return;
    }
#elif defined(__AVX2__)
    if (stream) {
        if constexpr (sizeof(T) == 4)
            _mm256_stream_ps(reinterpret_cast<float*>(to), (__m256)value);
        else
            _mm256_stream_pd(reinterpret_cast<double*>(to), (__m256d)value);
        return;
    }
#endif
    *(Anywhere<T>*)to = value;
}

/// Stores one vector of every row. @tparam Combine  with what is there  @tparam Stream  past the cache
template <class P, class T, int Rows, bool Combine, bool Stream>
inline void store_column(TileCall<T> const& call, Index at, Vector<T> const (&values)[Rows]) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        T* const to = call.to[r] + at;
        Vector<T> value = values[r];
        if constexpr (Combine) value = P::Shape::combined(*(Anywhere<T> const*)to, value);
        store_vector<T>(to, value, Stream);
    }
}

/// Stores one vector of every row, in pieces.
template <class P, class T, int Rows>
inline void store_pieces(TileCall<T> const& call, int v, Vector<T> const (&values)[Rows]) {
    for (Index p = call.pieces->first[v]; p < call.pieces->first[v + 1]; ++p) {
        Piece const piece = call.pieces->piece[p];
        if (piece.lanes != all_lanes<T>) {
            if constexpr (stores_lanes)  // elsewhere all vectors are whole
#pragma GCC unroll 8
                for (int r = 0; r < Rows; ++r) store_lanes<T>(call.to[r] + piece.at, piece.lanes, values[r]);
        } else if (call.stream) {
            store_column<P, T, Rows, false, true>(call, piece.at, values);
        } else if (call.combine) {
            store_column<P, T, Rows, true, false>(call, piece.at, values);
        } else {
            store_column<P, T, Rows, false, false>(call, piece.at, values);
        }
    }
}

/// @tparam Parts  of an element: 2 for complex numbers
template <class P, class T, int Rows, int Vectors, bool Careful, int Parts>
__attribute__((noinline)) void tile(TileCall<T> const& call) {
    constexpr Index line = 64 / static_cast<Index>(sizeof(T)) / Parts;
    T const *a = call.a, *b = call.b, *const next = call.next;
    Index const a_row = call.a_row, a_term = call.a_term, k = call.k;
    Vector<T> held[Parts][Vectors][Rows];  // in registers: all loops over it are unrolled
#pragma GCC unroll 2
    for (int part = 0; part < Parts; ++part)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) held[part][v][r] = P::identity - Vector<T>{};
    for (Index p = 0; p < k; ++p, a += a_term) {
        if (next != nullptr) {
            if (a_term > Parts)
                __builtin_prefetch(next + p * a_term);
            else if (p % line == 0)
#pragma GCC unroll 8
                for (int r = 0; r < Rows; ++r) __builtin_prefetch(next + r * a_row + p * Parts);
        }
        Vector<T> columns[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) columns[v] = *(Anywhere<T> const*)(b + v * lanes<T>);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
            for (int part = 0; part < Parts; ++part) {
                Vector<T> const row = a[r * a_row + part] - Vector<T>{};  // to all lanes; less 0 changes no number
#pragma GCC unroll 4
                for (int v = 0; v < Vectors; ++v)
                    held[part][v][r] = P::template with_term<Careful>(held[part][v][r], row, columns[v]);
            }
        b += Vectors * lanes<T>;
    }
    if constexpr (Parts == 2)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) held[0][v][r] = complex_sum<T>(held[0][v][r], held[1][v][r], *call.factors);
    if (call.out != nullptr) {
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) *(Vector<T>*)(call.out + (r * Vectors + v) * lanes<T>) = held[0][v][r];
        return;
    }
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
        if constexpr (P::Shape::is_fused && Parts == 1)
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) held[0][v][r] *= call.scale;
        store_pieces<P, T, Rows>(call, v, held[0][v]);
    }
}

template <class T>
using Tile = void(TileCall<T> const& call);

constexpr int most_vectors = 3;  // of a tile

/// What a frame has of its join: tiles of all its rows and of one, two, ... vectors. Fused ones need none.
template <class T>
struct JoinTiles {
    Tile<T>*plain[most_vectors], *careful[most_vectors];
    bool (*may_be_nan)(Seen<T> const&, Seen<T> const&);
};
template <class Join, int... Before>
constexpr JoinTiles<typename Join::Shape::T> tiles_of(std::integer_sequence<int, Before...>,
                                                      bool (*may_be_nan)(Seen<typename Join::Shape::T> const&,
                                                                         Seen<typename Join::Shape::T> const&)) {
    using F = typename Join::Shape;
    return {{tile<Join, typename F::T, F::rows, Before + 1, false, 1>...},
            {tile<Join, typename F::T, F::rows, Before + 1, F::takes_care, 1>...},
            may_be_nan};
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
