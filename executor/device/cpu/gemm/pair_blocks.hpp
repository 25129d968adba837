// How products of pairs are cut into blocks, for pair_loops.cpp, and the working memory of a call. Example: of 1000
// rows, 5000 columns and 800 terms of f32, blocks of 1000 rows, 384 terms and some 500 columns.
#pragma once

#include "executor/device/cpu/gemm/pair_pack.hpp"
#include "executor/device/cpu/gemm/pair_tiles.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Index cache_of_b =
    Index{3} << 18;  // bytes of a packed block: fits the second-level cache of all processors but the oldest
constexpr Index most_slivers = 64;              // of it
constexpr Index most_rows = 1536;               // of a, for which b is packed
constexpr Index few_rows = 256;                 // for so few b comes in smaller blocks, and the next beside it
constexpr Index rows_a_column = 4;              // at least: b is packed again for each block of rows
constexpr Index cache_of_few = Index{3} << 17;  // bytes of them
constexpr Index packed_bytes = 1024;  // of rows for each term: what the memory fetches together is used together

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
constexpr Index bytes_of_one = static_cast<Index>(sizeof(typename P::Element));

template <class P>
constexpr Index packed_at_once = packed_bytes / (P::rows * bytes_of_one<P>);  // tiles of rows

template <class P>
constexpr Index most_of_b = cache_of_b / bytes_of_one<P>;

template <class P>
Blocks blocks_of(PairCall const& call) {
    Index const terms =
        even_part(call.terms.count, or_a_quarter_more(pair_block), call.whole_terms > 1 ? call.whole_terms : 8);
    Index const rows = even_part(call.rows.count, or_a_quarter_more(most_rows), P::rows);
    Index const few = cache_of_few / bytes_of_one<P> / terms, most = most_of_b<P> / terms;
    bool const along = call.columns.labels == 0 || call.columns.label[call.columns.labels - 1].step[0] == 1;
    bool const small = call.rows.count <= few_rows && !along && call.whole_columns <= few;
    Index const room = (small ? few : most) / P::lane * P::lane;
    Index fitting = at_most(room > P::columns ? room : P::columns, most_slivers * P::columns);
    bool const boxes = call.whole_columns % P::lane == 0 && call.whole_columns <= fitting;
    if (boxes) fitting -= fitting % call.whole_columns;
    bool const squares = call.whole_columns > 1 && fitting >= P::lane * P::lane;
    Index const even = even_part(call.columns.count, fitting,
                                 boxes     ? call.whole_columns
                                 : squares ? P::lane * P::lane
                                           : P::columns);
    Index const columns = parts_of(even, P::lane) * P::lane;
    return {rows, columns, terms, columns * terms};
}

/// At least the blocks of any call of so many rows, columns and terms or fewer: even parts of less may be longer.
template <class P>
Blocks largest_blocks(PairCall const& call) {
    Index const rows = at_most(call.rows.count, or_a_quarter_more(most_rows)),
                terms = at_most(call.terms.count, or_a_quarter_more(pair_block));
    Index const columns = at_most(parts_of(call.columns.count, P::lane) * P::lane, most_slivers * P::columns);
    return {rows, columns, terms, at_most(columns * terms, most_of_b<P>)};
}

constexpr Index most_staged_run = 64;  // of columns, for pair_stage.hpp
/// Columns that are there at once: two slivers, and runs that have only begun or ended there.
template <class P>
constexpr Index staged_columns = 2 * P::columns + 3 * most_staged_run;

/// Where a tile's outputs are put together: twice; of columns and rows where they go there.
template <class T>
struct StageMemory {
    T* held = nullptr;
    Index *at = nullptr, *adjacent = nullptr, *row_at = nullptr;
    Piece* piece = nullptr;
    Index* first_piece = nullptr;
};

/// A call's working memory, one after the other.
template <class P>
struct Memory {
    Index rows, columns, terms;  // of a block, at most
    typename P::Element *a, *b;
    Index *a_at, *row_at, *a_term_at, *b_term_at;  // in a and b, and of rows in c
    Index *b_at[2], *column_at[2];                 // in b and c, of this block of columns and the next
    Index *lines, *line_places;                    // of pair_ahead.hpp
    Index *adjacent, *adjacent_in_b;               // columns from each on that lie side by side in c, in b
    Piece* piece;
    Index* first_piece;
    Marks marks;
    StageMemory<typename P::T> stage;
    std::size_t bytes = 0;

    Memory(Blocks const& blocks, std::byte* scratch) : rows(blocks.rows), columns(blocks.columns), terms(blocks.terms) {
        auto const take = [&]<class T>(T*& part, Index count) {
            part = scratch == nullptr ? nullptr : reinterpret_cast<T*>(scratch + bytes);
            bytes += static_cast<std::size_t>((count * static_cast<Index>(sizeof(T)) + 63) / 64 * 64);
        };
        take(b, blocks.b);
        for (int set = 0; set < 2; ++set) {
            take(b_at[set], columns);
            take(column_at[set], columns);
        }
        take(adjacent, columns);
        take(adjacent_in_b, columns);
        Index const vectors = parts_of(columns, P::lane);
        take(piece, vectors * most_pieces);
        take(first_piece, vectors + 1);
        if (P::is_fused) {
            take(stage.held, 2 * staged_columns<P> * P::rows * P::parts);
            take(stage.at, columns);
            take(stage.adjacent, columns);
            take(stage.row_at, P::rows);
            take(stage.piece, vectors * most_pieces);
            take(stage.first_piece, vectors + 1);
        }
        take(a_term_at, terms);
        take(b_term_at, terms);
        take(a_at, rows);
        take(row_at, rows);
        take(lines, terms < columns ? columns : terms);
        take(line_places, terms < columns ? columns : terms);
        Index most_marks = terms < columns ? columns : terms;
        if (most_marks < packed_at_once<P> * P::rows) most_marks = packed_at_once<P> * P::rows;
        take(marks.done, most_marks);
        take(marks.begins, most_marks);
        take(marks.at, most_marks);
        take(marks.target, most_marks);
        take(marks.place, most_marks);
        take(marks.width, most_marks);
        take(marks.count, 2 * most_marks);
        take(marks.whole, most_marks);
        take(marks.jump, most_marks);
        take(a, parts_of(rows, P::rows) * P::rows * terms);
    }
};

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
