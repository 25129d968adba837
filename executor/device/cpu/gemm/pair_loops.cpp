// Products of pairs for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a namespace
// of its own (ein_instruction_sets in cmake/EinLibrary.cmake). Nothing from headers is called in here, so that no
// function compiled for one set is taken for another.
//
// Of pair_block terms, a block of columns of b is packed into slivers a few vectors wide and stays in the second-level
// cache. A few rows of a at a time, in the first level, meet every sliver: one tile each, whose outputs are registers.
// Rows whose terms lie side by side are read where they lie; others are packed before, once for all columns.
#include <cstdint>
#include <utility>

#include "executor/device/cpu/gemm/pair_pack.hpp"
#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_tiles.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index cache_of_b =
    Index{3} << 18;  // bytes of a packed block: fits the second-level cache of all processors but the oldest
constexpr Index most_slivers = 64;   // of it
constexpr Index most_rows = 1536;    // of a, for which b is packed
constexpr Index packed_at_once = 8;  // tiles of rows: what the memory fetches together is used together

/// Where a sliver's outputs go: of each column, its place and how many columns from it on lie side by side there.
struct Columns {
    Index count;
    Index const *at, *adjacent;
};

constexpr Index least_lanes = 4;  // fewer are stored one by one: a masked load waits for stores to what it leaves out

template <class P>
void store_row(typename P::T const* from, Columns const& columns, typename P::T* c, typename P::T scale, bool combine) {
    using T = typename P::T;
    for (Index w = 0; w < columns.count;) {
        for (; w < columns.count && columns.adjacent[w] < least_lanes; ++w) {
            T* const to = c + columns.at[w];
            Vector<T> value = from[w] - Vector<T>{};
            if constexpr (P::is_fused) value *= scale;
            *to = combine ? P::combined(*to - Vector<T>{}, value)[0] : value[0];
        }
        if (w == columns.count) return;
        Index const end = at_most(w + columns.adjacent[w], columns.count);
        T* to = c + columns.at[w];
        for (; w + lanes<T> <= end; w += lanes<T>, to += lanes<T>) {
            Vector<T> value = *(Anywhere<T> const*)(from + w);
            if constexpr (P::is_fused) value *= scale;
            *(Anywhere<T>*)to = combine ? P::combined(*(Anywhere<T> const*)to, value) : value;
        }
        if (w == end) continue;
        Vector<T> value = first_lanes<T>(from + w, end - w);
        if constexpr (P::is_fused) value *= scale;
        set_first_lanes<T>(to, end - w, combine ? P::combined(first_lanes<T>(to, end - w), value) : value);
        w = end;
    }
}

/// A tile's height of rows of a, packed or where they lie, and what their tiles have in common.
template <class P>
struct Rows {
    typename P::T const* a;
    Index row_step, term_step;
    Index count;        // at most P::rows
    Index const* c_at;  // of each
    typename P::T* c;
    Index k;
    typename P::T scale;
    Tile<typename P::T>* tile;  // of no use to fused ones, which have several
    bool combine;
    bool fetch_next;  // the rows that follow at row_step, in place
};

template <class P, int Count, int Vectors>
void run_tile(Rows<P> const& rows, Index first, typename P::T const* b, Columns const& columns) {
    using T = typename P::T;
    alignas(64) T out[Count * Vectors * lanes<T>];
    T const* const a = rows.a + first * rows.row_step;
    Index const count = at_most(rows.count - first, Count);
    for (Index r = 0; r < count; ++r)
        for (int v = 0; v < Vectors; ++v)
            __builtin_prefetch(rows.c + rows.c_at[first + r] + columns.at[0] + v * lanes<T>, 1);
    T const* const next = rows.fetch_next ? a + Count * rows.row_step : nullptr;
    if constexpr (P::is_fused)
        tile<Product<PairJoin::multiply, PairAgg::sum, T>, T, Count, Vectors, false>(a, rows.row_step, rows.term_step,
                                                                                     b, rows.k, next, out);
    else
        rows.tile(a, rows.row_step, rows.term_step, b, rows.k, next, out);
    for (Index r = 0; r < count; ++r)
        store_row<P>(out + r * Vectors * lanes<T>, columns, rows.c + rows.c_at[first + r], rows.scale, rows.combine);
}

/// Rows times one sliver. Only the most frequent product has tiles of fewer rows: the others' are packed, and compute
/// with zeros.
template <class P, int Vectors>
void run_rows(Rows<P> const& rows, typename P::T const* b, Columns const& columns) {
    if (!P::is_fused || rows.count == P::rows) return run_tile<P, P::rows, Vectors>(rows, 0, b, columns);
    if constexpr (P::is_fused) {
        Index first = 0;
        if constexpr (P::rows > 4)
            if (rows.count & 4) run_tile<P, 4, Vectors>(rows, first, b, columns), first += 4;
        if (rows.count & 2) run_tile<P, 2, Vectors>(rows, first, b, columns), first += 2;
        if (rows.count & 1) run_tile<P, 1, Vectors>(rows, first, b, columns);
    }
}

// ---- blocks ----

/// How long parts are, as even as may be and a multiple of `of`, of which each has at most `most`.
constexpr Index even_part(Index count, Index most, Index of) {
    Index const parts = parts_of(count, most), even = parts_of(parts_of(count, parts), of) * of;
    return at_most(even <= most || even <= of ? even : even - of, count);
}

/// A limit that parts may exceed where that saves one.
constexpr Index or_a_quarter_more(Index limit) { return limit + limit / 4; }

/// What is packed at once, at most; b's elements are those of so many columns and terms, or fewer.
struct Blocks {
    Index rows, columns, terms, b;
};

template <class P>
constexpr Index most_of_b = cache_of_b / static_cast<Index>(sizeof(typename P::T));

template <class P>
Blocks blocks_of(PairCall const& call) {
    Index const rows = even_part(call.rows.count, or_a_quarter_more(most_rows), P::rows);
    Index const terms =
        even_part(call.terms.count, or_a_quarter_more(pair_block), call.whole_terms > 1 ? call.whole_terms : 8);
    Index fitting = at_most(most_of_b<P> / terms / P::columns, most_slivers) * P::columns;
    bool const squares = call.whole_columns % P::unit == 0 && call.whole_columns <= fitting;
    if (squares) fitting -= fitting % call.whole_columns;
    Index const even = even_part(call.columns.count, fitting, squares ? call.whole_columns : P::columns);
    Index const columns = parts_of(even, P::unit) * P::unit;
    return {rows, columns, terms, columns * terms};
}

/// At least the blocks of any call of so many rows, columns and terms or fewer: even parts of less may be longer.
template <class P>
Blocks largest_blocks(PairCall const& call) {
    Index const rows = at_most(call.rows.count, or_a_quarter_more(most_rows)),
                terms = at_most(call.terms.count, or_a_quarter_more(pair_block));
    Index const columns = at_most(parts_of(call.columns.count, P::unit) * P::unit, most_slivers * P::columns);
    return {rows, columns, terms, at_most(columns * terms, most_of_b<P>)};
}

/// A call's working memory, one after the other.
template <class P>
struct Memory {
    Index rows, columns, terms;  // of a block, at most
    typename P::T *a, *b;
    Index *a_at, *b_at, *row_at, *column_at, *a_term_at, *b_term_at;  // in a and b, and of rows and columns in c
    Index* adjacent;                                                  // columns from each on that lie side by side in c
    Marks marks;
    std::size_t bytes = 0;

    Memory(Blocks const& blocks, std::byte* scratch) : rows(blocks.rows), columns(blocks.columns), terms(blocks.terms) {
        auto const take = [&]<class T>(T*& part, Index count) {
            part = scratch == nullptr ? nullptr : reinterpret_cast<T*>(scratch + bytes);
            bytes += static_cast<std::size_t>((count * static_cast<Index>(sizeof(T)) + 63) / 64 * 64);
        };
        take(b, blocks.b);
        take(b_at, columns);
        take(column_at, columns);
        take(adjacent, columns);
        take(a_term_at, terms);
        take(b_term_at, terms);
        take(a_at, rows);
        take(row_at, rows);
        Index most_marks = terms < columns ? columns : terms;
        if (most_marks < packed_at_once * P::rows) most_marks = packed_at_once * P::rows;
        take(marks.done, most_marks);
        take(marks.begins, most_marks);
        take(a, parts_of(rows, P::rows) * P::rows * terms);
    }
};

constexpr Index operations_between_pauses = 1 << 19;

/// Some rows and terms of a call: all columns, a block of them after the other.
template <class P>
class RowBlock {
public:
    using T = typename P::T;
    RowBlock(PairCall const& call, JoinTiles<T> const& join, Memory<P> const& memory, Index rows, Index terms,
             bool combine)
        : call_(call), join_(join), memory_(memory), rows_(rows), terms_(terms), combine_(combine) {}

    void run() {
        in_place_ = P::is_fused && rows_lie_evenly();
        if (!in_place_) pack_rows();
        for (Index column = 0; column < call_.columns.count; column += memory_.columns) {
            Index const count = at_most(call_.columns.count - column, memory_.columns);
            find(call_.columns, call_.columns.first + column, count, 0, memory_.b_at);
            find(call_.columns, call_.columns.first + column, count, 1, memory_.column_at);
            find_adjacent(memory_.column_at, count, memory_.adjacent);
            run_columns(count);
        }
    }

private:
    /// Terms side by side, and the rows of every tile evenly apart.
    bool rows_lie_evenly() const {
        if (even_step(memory_.a_term_at, terms_) != 1) return false;
        for (Index row = 0; row < rows_; row += P::rows)
            if (even_step(memory_.a_at + row, at_most(rows_ - row, P::rows)) == 0) return false;
        return true;
    }

    void pack_rows() {
        constexpr Index group = packed_at_once * P::rows;
        for (Index row = 0; row < rows_; row += group) {
            Index const count = at_most(rows_ - row, group), tiles = parts_of(count, P::rows);
            pack<T, at_most(P::rows, lanes<T>), P::takes_care>(
                {static_cast<T const*>(call_.a), memory_.a_at + row, count, memory_.a_term_at, terms_},
                Slivers(tiles, tiles, P::rows), memory_.a + row * terms_, memory_.marks, seen_);
        }
    }

    /// One block of columns.
    void run_columns(Index count) {
        Index const vectors = parts_of(count, P::unit) * (P::unit / lanes<T>);
        Slivers const slivers(vectors, parts_of(vectors, P::vectors), lanes<T>);
        Seen<T> seen;
        pack<T, lanes<T>, P::takes_care>(
            {static_cast<T const*>(call_.b), memory_.b_at, count, memory_.b_term_at, terms_}, slivers, memory_.b,
            memory_.marks, seen);
        Rows<P> rows{};
        rows.term_step = in_place_ ? 1 : P::rows;
        rows.c = static_cast<T*>(call_.c);
        rows.k = terms_;
        rows.scale = static_cast<T>(call_.scale);
        rows.combine = combine_;
        rows.tile = P::takes_care && join_.may_be_nan(seen_, seen) ? join_.careful : join_.plain;
        Index const tiles_between = parts_of(operations_between_pauses, P::rows * count * terms_);
        Index tiles = 0;
        for (Index row = 0; row < rows_; row += P::rows) {
            if (call_.pause != nullptr && ++tiles % tiles_between == 0) call_.pause(call_.pause_of);
            rows.count = at_most(rows_ - row, P::rows);
            rows.c_at = memory_.row_at + row;
            rows.a = in_place_ ? static_cast<T const*>(call_.a) + memory_.a_at[row] + memory_.a_term_at[0]
                               : memory_.a + row * terms_;
            rows.row_step = in_place_ ? even_step(memory_.a_at + row, rows.count) : 1;
            for (Index s = 0; s < slivers.count; ++s) {
                rows.fetch_next = in_place_ && s == 0;
                run_sliver(rows, slivers, s, count);
            }
        }
    }

    void run_sliver(Rows<P> const& rows, Slivers const& slivers, Index s, Index count) {
        Index const first = slivers.first(s), width = slivers.width(s), held = at_most(count - first, width);
        T const* const b = memory_.b + first * terms_;
        Columns const columns{held, memory_.column_at + first, memory_.adjacent + first};
        if (width == P::columns)
            run_rows<P, P::vectors>(rows, b, columns);
        else if constexpr (P::is_fused) {
            if (width == 2 * lanes<T>) run_rows<P, 2>(rows, b, columns);
            if (width == lanes<T>) run_rows<P, 1>(rows, b, columns);
        }
    }

    PairCall const& call_;
    JoinTiles<T> const& join_;
    Memory<P> const& memory_;
    Index rows_, terms_;
    bool combine_, in_place_ = false;
    Seen<T> seen_;
};

template <class P>
void run_blocks(PairCall const& call, JoinTiles<typename P::T> const& join) {
    Memory<P> const memory(blocks_of<P>(call), call.scratch);
    for (Index row = 0; row < call.rows.count; row += memory.rows) {
        Index const rows = at_most(call.rows.count - row, memory.rows);
        find(call.rows, call.rows.first + row, rows, 0, memory.a_at);
        find(call.rows, call.rows.first + row, rows, 1, memory.row_at);
        for (Index term = 0; term < call.terms.count; term += memory.terms) {
            Index const terms = at_most(call.terms.count - term, memory.terms);
            find(call.terms, call.terms.first + term, terms, 0, memory.a_term_at);
            find(call.terms, call.terms.first + term, terms, 1, memory.b_term_at);
            RowBlock<P>(call, join, memory, rows, terms, call.accumulate || term > 0).run();
        }
    }
}

template <PairJoin Join, PairAgg Agg, class T>
void run(PairCall const& call) {
    using P = Product<Join, Agg, T>;
    using F = typename P::Shape;
    if constexpr (F::is_fused)
        run_blocks<F>(call, {});
    else
        run_blocks<F>(call, {tile<P, T, F::rows, F::vectors, false>, tile<P, T, F::rows, F::vectors, F::takes_care>,
                             may_be_nan<Join, T>});
}

template <class P>
std::size_t scratch_bytes(PairCall const& call) {
    return Memory<P>(largest_blocks<P>(call), nullptr).bytes;
}

// ---- the table ----

template <PairJoin Join, PairAgg Agg, class T>
PairProduct product() {
    using F = typename Product<Join, Agg, T>::Shape;
    if constexpr (real<T> && Join == PairJoin::multiply && Agg == PairAgg::sum && !fused) {
        return {};
    } else {
        constexpr double steps = F::is_fused                                              ? 1
                                 : Join == PairJoin::distance || Join == PairJoin::square ? 3
                                                                                          : 2;  // of a term
        constexpr double slow = !real<T> && Join == PairJoin::multiply ? 3 : 1;
        return {run<Join, Agg, T>, scratch_bytes<F>, F::rows, static_cast<int>(F::columns),
                2 * 3e9 * lanes<T> / steps / slow};
    }
}
template <PairJoin Join, class T>
PairProduct by_agg(PairAgg agg) {
    return agg == PairAgg::sum   ? product<Join, PairAgg::sum, T>()
           : agg == PairAgg::min ? product<Join, PairAgg::min, T>()
                                 : product<Join, PairAgg::max, T>();
}
template <class T>
PairProduct by_join(PairJoin join, PairAgg agg) {
    switch (join) {
        case PairJoin::add: return by_agg<PairJoin::add, T>(agg);
        case PairJoin::subtract: return by_agg<PairJoin::subtract, T>(agg);
        case PairJoin::subtract_from: return by_agg<PairJoin::subtract_from, T>(agg);
        case PairJoin::multiply: return by_agg<PairJoin::multiply, T>(agg);
        case PairJoin::distance: return by_agg<PairJoin::distance, T>(agg);
        case PairJoin::square: return by_agg<PairJoin::square, T>(agg);
        case PairJoin::least: return by_agg<PairJoin::least, T>(agg);
        case PairJoin::most: return by_agg<PairJoin::most, T>(agg);
    }
    return {};
}

}  // namespace

PairProduct pair_loops(PairJoin join, PairAgg agg, PairType type) {
    switch (type) {
        case PairType::f32: return by_join<float>(join, agg);
        case PairType::f64: return by_join<double>(join, agg);
        case PairType::i64: return by_join<std::int64_t>(join, agg);
    }
    return {};
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
