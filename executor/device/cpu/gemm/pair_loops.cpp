// Products of pairs for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a namespace
// of its own (ein_instruction_sets in cmake/EinLibrary.cmake). Nothing from headers is called in here, so that no
// function compiled for one set is taken for another.
//
// Of pair_block terms, a block of columns of b is packed into slivers a few vectors wide and stays in the second-level
// cache. A few rows of a at a time, in the first level, meet every sliver: one tile each, whose outputs are registers.
// Rows whose terms lie side by side are read where they lie; others are packed before, once for all columns.
#include <cstdint>
#include <utility>

#include "executor/device/cpu/gemm/pair_ahead.hpp"
#include "executor/device/cpu/gemm/pair_blocks.hpp"
#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_rows.hpp"
#include "executor/device/cpu/gemm/pair_stage.hpp"
#include "executor/device/cpu/gemm/pair_streams.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index streamed_rows = 24;  // for so many b is read where it lies, if it lies side by side, and not packed
constexpr Index least_streamed_columns = 32;  // side by side, on average
constexpr Index streamed_columns_a_row = 12;  // and so many for each row: packing is shared by more rows
constexpr Index most_term_bytes = 256;        // from a term of a to the next where a is not packed
constexpr Index operations_between_pauses = 1 << 19;

/// Some rows and terms of a call: all columns, a block of them after the other.
template <class P>
class RowBlock {
public:
    using T = typename P::T;
    using Element = typename P::Element;
    RowBlock(PairCall const& call, JoinTiles<T> const& join, ComplexFactors<T> const* factors, Memory<P> const& memory,
             Index rows, Index terms, bool combine)
        : call_(call),
          join_(join),
          factors_(factors),
          memory_(memory),
          rows_(rows),
          terms_(terms),
          combine_(combine),
          stage_(memory.stage) {}

    void run() {
        in_place_ = P::is_fused && rows_lie_evenly();
        if (!in_place_) pack_rows();
        Block here{find_columns(0, 0), 0};
        for (Index column = 0; column < call_.columns.count;) {
            Index const begin = column + here.count;
            Block next{begin < call_.columns.count ? find_columns(begin, 1 - here.set) : 0, 1 - here.set};
            if (next.count > 0 && lie_alike(here, next)) {
                next.moved_b = memory_.b_at[next.set][0] - memory_.b_at[here.set][0];
                next.moved_c = memory_.column_at[next.set][0] - memory_.column_at[here.set][0];
                next.set = here.set;
            }
            if (column == 0 || here.set != last_.set) look_at(here);
            last_ = here;
            bool const ahead = next.count > 0 && next.set == here.set && rows_ <= few_rows;
            ahead ? fetch_columns(next) : ahead_.none();
            b_ = static_cast<Element const*>(call_.b) + here.moved_b;
            c_ = static_cast<T*>(call_.c) + here.moved_c * P::parts;
            run_columns(here.count);
            column = begin;
            here = next;
        }
    }

private:
    /// Some columns: those of a set of places, moved.
    struct Block {
        Index count = 0;
        int set = 0;
        Index moved_b = 0, moved_c = 0;
    };

    Index find_columns(Index column, int set) const {
        return find(call_.columns, call_.columns.first + column, at_most(call_.columns.count - column, memory_.columns),
                    memory_.b_at[set], memory_.column_at[set]);
    }
    /// Whether the next block's places are this one's, moved: what follows from them is then known.
    bool lie_alike(Block const& here, Block const& next) const {
        return here.count == next.count &&
               differences_are_equal(memory_.b_at[here.set], memory_.b_at[next.set], here.count) &&
               differences_are_equal(memory_.column_at[here.set], memory_.column_at[next.set], here.count);
    }
    /// Takes a block's places for those that are computed with.
    void look_at(Block const& block) {
        column_at_ = memory_.column_at[block.set];
        b_at_ = memory_.b_at[block.set];
        find_adjacent(column_at_, block.count, memory_.adjacent);
        in_pieces_ = find_pieces<T>(column_at_, memory_.adjacent, block.count, P::parts, vectors_of(block.count),
                                    memory_.piece, memory_.first_piece);
        order_ = {};
        lines_known_ = false;
        streams_ = streams(block.count);
        stages_ = P::is_fused && !combine_ && terms_ == call_.terms.count && !streams_ &&
                  stage_.find(memory_.adjacent, block.count, vectors_of(block.count));
    }
    /// Of a block that lies as this one does, while tiles of this one are computed.
    void fetch_columns(Block const& next) {
        Source<Element> const source{static_cast<Element const*>(call_.b) + next.moved_b, b_at_, next.count,
                                     memory_.b_term_at, terms_};
        if (lines_known_) return ahead_.again(source.from);
        Index const tiles = parts_of(rows_, P::rows) * parts_of(next.count, P::columns);
        ahead_.set(source, memory_.lines, memory_.line_places, tiles);
        lines_known_ = true;
    }

    /// Terms side by side, and the rows of every tile evenly apart; or rows side by side, and terms a little apart.
    bool rows_lie_evenly() {
        a_term_ = even_step(memory_.a_term_at, terms_);
        constexpr Index most = most_term_bytes / (static_cast<Index>(sizeof(T)) * P::parts);
        if (a_term_ < 1 || a_term_ > most) return false;
        for (Index row = 0; row < rows_; row += P::rows) {
            Index const step = even_step(memory_.a_at + row, at_most(rows_ - row, P::rows));
            if (step == 0 || (a_term_ > 1 && step != 1)) return false;
        }
        return true;
    }
    /// One sliver, whose terms follow one another in b as they do when they are packed.
    bool lies_packed(Index count) const {
        return P::is_fused && count <= P::columns && count % P::lane == 0 && terms_ > 1 &&
               even_step(b_at_, count) == 1 && even_step(memory_.b_term_at, terms_) == count;
    }

    Source<Element> source_of_a(Index row, Index count) const {
        return {static_cast<Element const*>(call_.a), memory_.a_at + row, count, memory_.a_term_at, terms_};
    }
    Source<Element> source_of_b(Index column, Index count) const {
        return {b_, b_at_ + column, count, memory_.b_term_at, terms_};
    }

    void pack_rows() {
        constexpr Index group = packed_at_once<P> * P::rows;
        for (Index row = 0; row < rows_; row += group) {
            Index const count = at_most(rows_ - row, group), tiles = parts_of(count, P::rows);
            Slivers const slivers(tiles, tiles, P::rows);
            Order order;
            pack<Element, at_most(P::rows, P::lane), P::takes_care>(
                source_of_a(row, count), slivers, memory_.a + row * terms_, memory_.marks, order, seen_);
        }
    }

    void pack_columns(Index column, Index count, Slivers const& slivers, Seen<Element>& seen) {
        pack<Element, P::lane, P::takes_care>(source_of_b(column, count), slivers, memory_.b, memory_.marks, order_,
                                              seen);
    }

    /// b would be packed for so few rows that it is read where it lies, if that is in runs long enough; and the sums of
    /// all rows are no more than what is packed.
    bool streams(Index count) const {
        if (!P::is_fused || rows_ > streamed_rows || rows_ * P::parts > memory_.terms) return false;
        find_adjacent(b_at_, count, memory_.adjacent_in_b);
        Index runs = 0;
        for (Index column = 0; column < count; column += memory_.adjacent_in_b[column]) ++runs;
        Index const many = rows_ * streamed_columns_a_row;
        return runs * (many < least_streamed_columns ? least_streamed_columns : many) <= count;
    }

    static T const* numbers_of(Element const* elements) { return reinterpret_cast<T const*>(elements); }
    static Index vectors_of(Index columns) { return parts_of(columns, P::lane); }

    /// One block of columns.
    void run_columns(Index count) {
        Index const vectors = vectors_of(count);
        Slivers const slivers(vectors, parts_of(vectors, P::vectors), P::lane);
        bool const b_in_place = streams_;
        Seen<Element> seen;
        bool const is_packed = !b_in_place && lies_packed(count);
        if (!b_in_place && !is_packed) pack_columns(0, count, slivers, seen);
        T const* const packed = numbers_of(is_packed ? b_ + b_at_[0] + memory_.b_term_at[0] : memory_.b);
        Rows<P> rows{};
        rows.term_step = (in_place_ ? a_term_ : P::rows) * P::parts;
        rows.c = c_;
        rows.k = terms_;
        rows.scale = static_cast<T>(call_.scale);
        rows.factors = factors_;
        rows.combine = combine_;
        rows.stream = call_.past_cache && !combine_ && terms_ == call_.terms.count;
        rows.tiles = join_.plain;
        if constexpr (P::takes_care)
            if (join_.may_be_nan(seen_, seen)) rows.tiles = join_.careful;
        if constexpr (P::is_fused)
            if (b_in_place) return run_streaming(rows, count);
        Index const tiles_between = parts_of(operations_between_pauses, P::rows * count * terms_);
        Index tiles = 0;
        for (Index row = 0; row < rows_; row += P::rows) {
            if (call_.pause != nullptr && ++tiles % tiles_between == 0) call_.pause(call_.pause_of);
            take_rows(rows, row);
            bool const staged = stages_ && stage_.takes(rows.c_at, rows.count);
            Rows<P> to = staged ? stage_.begin(rows, rows.c + rows.c_at[0] * P::parts, column_at_) : rows;
            for (Index s = 0; s < slivers.count; ++s) {
                to.fetch_next = in_place_ && s == 0;
                Index const first = slivers.first(s), held = at_most(count - first, slivers.width(s));
                if (!order_.along) ahead_.fetch();
                run_sliver(to, packed + first * terms_ * P::parts, slivers.width(s),
                           staged ? stage_.columns(first, held) : columns_of(first, held));
                if (staged) stage_.computed(first + held);
            }
        }
        if (stages_) stage_.leave();
    }

    /// Columns that lie side by side in b, and then those that follow.
    void run_streaming(Rows<P>& rows, Index count) {
        Index const most = parts_of(count, P::lane) * lanes<T>;
        for (Index column = 0; column < count;) {
            Index const wide = at_most(memory_.adjacent_in_b[column], count - column);
            Streamed<T> const part{numbers_of(b_ + b_at_[column]), memory_.b_term_at, wide * P::parts,
                                   reinterpret_cast<T*>(memory_.b), most};
            for (Index row = 0; row < rows_ * P::parts; ++row)
                for (Index at = 0; at < part.columns; ++at) part.sums[row * most + at] = T{};
            Index term = 0;
            for (; term + terms_at_once <= terms_; term += terms_at_once) stream<terms_at_once>(rows, term, part);
            for (; term < terms_; ++term) stream<1>(rows, term, part);
            Columns const columns{wide, column_at_ + column, memory_.adjacent + column, {}};
            for (Index row = 0; row < rows_; ++row)
                store_row<P>(sums_of_row<P>(rows, row, part), columns, rows.c + memory_.row_at[row] * P::parts,
                             P::parts == 1 ? rows.scale : T{1}, combine_);
            column += wide;
        }
    }

    template <int Terms>
    void stream(Rows<P>& rows, Index term, Streamed<T> const& part) {
        Index const between = parts_of(operations_between_pauses, rows_ * part.columns * terms_at_once);
        if (call_.pause != nullptr && term / terms_at_once % between == 0) call_.pause(call_.pause_of);
        Index const tiles = parts_of(rows_, P::rows);
        for (Index tile = 0; tile < tiles; ++tile) {
            take_rows(rows, tile * P::rows);
            stream_terms<P, Terms>(rows, tile, tiles, term, term + 2 * Terms <= terms_, part);
        }
    }

    void take_rows(Rows<P>& rows, Index row) const {
        rows.count = at_most(rows_ - row, P::rows);
        rows.c_at = memory_.row_at + row;
        rows.a = in_place_ ? static_cast<T const*>(call_.a) + (memory_.a_at[row] + memory_.a_term_at[0]) * P::parts
                           : numbers_of(memory_.a + row * terms_);
        rows.row_step = in_place_ ? even_step(memory_.a_at + row, rows.count) * P::parts : P::parts;
        rows.fetch_next = false;
    }

    Columns columns_of(Index first, Index held) const {
        Pieces const pieces{in_pieces_ ? memory_.piece : nullptr, memory_.first_piece + first / P::lane};
        return {held, column_at_ + first, memory_.adjacent + first, pieces};
    }

    void run_sliver(Rows<P> const& rows, T const* sliver, Index width, Columns const& columns) {
        if (width == P::lane) return run_rows<P, 1>(rows, sliver, columns);
        if constexpr (P::vectors > 2)
            if (width == 2 * P::lane) return run_rows<P, 2>(rows, sliver, columns);
        run_rows<P, P::vectors>(rows, sliver, columns);
    }

    PairCall const& call_;
    JoinTiles<T> const& join_;
    ComplexFactors<T> const* factors_;
    Memory<P> const& memory_;
    Index rows_, terms_, a_term_ = 1;  // from term to term of a, in place
    Index const *b_at_ = nullptr, *column_at_ = nullptr;
    bool combine_, in_place_ = false, in_pieces_ = false;
    Seen<Element> seen_;
    bool streams_ = false, stages_ = false, lines_known_ = false;
    Block last_;
    Order order_;
    Element const* b_ = nullptr;
    T* c_ = nullptr;
    Ahead<Element> ahead_;
    Stage<P> stage_;
};

template <class P>
void run_blocks(PairCall const& call, JoinTiles<typename P::T> const& join,
                ComplexFactors<typename P::T> const* factors = nullptr) {
    Memory<P> const memory(blocks_of<P>(call), call.scratch);
    for (Index row = 0; row < call.rows.count;) {
        Index const rows = find(call.rows, call.rows.first + row, at_most(call.rows.count - row, memory.rows),
                                memory.a_at, memory.row_at);
        for (Index term = 0; term < call.terms.count;) {
            Index const terms =
                find(call.terms, call.terms.first + term, at_most(call.terms.count - term, memory.terms),
                     memory.a_term_at, memory.b_term_at);
            RowBlock<P>(call, join, factors, memory, rows, terms, call.accumulate || term > 0).run();
            term += terms;
        }
        row += rows;
    }
#if defined(__AVX2__)
    if (call.past_cache) _mm_sfence();
#endif
}

template <PairJoin Join, PairAgg Agg, class T>
void run(PairCall const& call) {
    using P = Product<Join, Agg, T>;
    using F = typename P::Shape;
    if constexpr (F::is_fused)
        run_blocks<F>(call, {});
    else
        run_blocks<F>(call, tiles_of<P>(std::make_integer_sequence<int, F::vectors>{}, may_be_nan<Join, T>));
}

/// Complex numbers: sums of products alone.
template <class T>
using ComplexFrame = Frame<PairAgg::sum, T, true, false, 2>;
template <class T>
void run_complex(PairCall const& call) {
    ComplexFactors<T> const factors(static_cast<T>(call.scale), call.conjugate_a, call.conjugate_b);
    run_blocks<ComplexFrame<T>>(call, {}, &factors);
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
        constexpr bool of_differences = Join == PairJoin::distance || Join == PairJoin::square;
        constexpr double steps = F::is_fused                                      ? 0.5
                                 : of_differences && !fuses_squares<Join, Agg, T> ? 3
                                                                                  : 2;  // of a term
        constexpr double slow = Join == PairJoin::multiply && __is_same(T, std::int64_t) ? 3 : 1;
        constexpr bool in_lanes = F::is_fused || (fused && __is_same(T, std::int32_t));
        return {run<Join, Agg, T>,
                scratch_bytes<F>,
                F::rows,
                static_cast<int>(F::columns),
                2 * 3e9 * lanes<T> / steps / slow,
                in_lanes ? lanes<T> : 1,
                static_cast<int>(F::lane)};
    }
}
template <class T>
PairProduct complex_product() {
    using F = ComplexFrame<T>;
    if constexpr (!fused)
        return {};
    else
        return {run_complex<T>, scratch_bytes<F>,         F::rows, static_cast<int>(F::columns), 2 * 3e9 * lanes<T> / 2,
                lanes<T>,       static_cast<int>(F::lane)};
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
        case PairType::i32: {
            bool const is_product = join == PairJoin::multiply && agg == PairAgg::sum;
            return is_product ? product<PairJoin::multiply, PairAgg::sum, std::int32_t>() : PairProduct{};
        }
        case PairType::c64: return complex_product<float>();
        case PairType::c128: return complex_product<double>();
    }
    return {};
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
