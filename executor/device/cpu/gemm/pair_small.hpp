// Products of small matrices one after the other, for pair_lanes.cpp: columns lie side by side in c and in b, which is
// then read where it lies, or terms in b, whose lines are then turned into the first-level cache; all else lies
// anywhere. Outputs stay in registers over all terms, so each combines its terms in their order. Example: 16 x 16 times
// 16 x 16 of f32 on vectors of 16 is two tiles of 8 rows by one vector.
#pragma once

#include <array>
#include <utility>

#include "executor/device/cpu/gemm/pair_lanes.hpp"
#include "executor/device/cpu/gemm/pair_rows.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

inline constexpr int most_small_rows = 8, most_small_vectors = 4;  // of a tile

/// Where a product's elements lie.
template <class T>
struct SmallCall {
    T const *a, *b;
    T* c;
    Index const *a_row, *c_row, *a_term, *b_term;
    Index rows, columns, terms;
    T scale;
    bool combine, past_cache;
};

/// Some rows and columns. @tparam Vectors  of a row, the last of which may be cut
template <class T, int Rows, int Vectors>
void small_tile(SmallCall<T> const& call, Index row) {
    constexpr Index whole = (Vectors - 1) * lanes<T>;
    Index const rest = call.columns - whole;
    Vector<T> held[Rows][Vectors] = {};
    T const* a[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) a[r] = call.a + call.a_row[row + r];
    for (Index p = 0; p < call.terms; ++p) {
        T const* const b = call.b + call.b_term[p];
        Index const at = call.a_term[p];
        Vector<T> of_b[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v + 1 < Vectors; ++v) of_b[v] = *(Anywhere<T> const*)(b + v * lanes<T>);
        of_b[Vectors - 1] = first_lanes<T>(b + whole, rest);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            Vector<T> const of_a = a[r][at] - Vector<T>{};  // to all lanes; less 0 changes no number
#pragma GCC unroll 4
            for (int v = 0; v < Vectors; ++v) held[r][v] = fused_sum(held[r][v], of_a, of_b[v]);
        }
    }
    bool const stream = call.past_cache && vectors_are_lines;
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        T* const c = call.c + call.c_row[row + r];
        for (int v = 0; v < Vectors; ++v) {
            Index const count = v + 1 < Vectors ? lanes<T> : rest;
            Vector<T> value = held[r][v] * call.scale;
            if (call.combine) value += first_lanes<T>(c + v * lanes<T>, count);
            if (count < lanes<T>)
                set_first_lanes<T>(c + v * lanes<T>, count, value);
            else
                store_vector<T>(c + v * lanes<T>, value, stream && begins_a_line(c + v * lanes<T>));
        }
    }
}

/// All rows, in tiles of about as many each.
template <class T, int Vectors>
void small_part(SmallCall<T> const& call) {
    constexpr int registers = sizeof(Vector<T>) == 64 ? 32 : 16,
                  fitting = (registers - Vectors - 1) / Vectors,  // beside a row of b and an element of a
        most = fitting < most_small_rows ? fitting : most_small_rows;
    using Tile = void(SmallCall<T> const&, Index);
    constexpr auto tiles = []<int... Less>(std::integer_sequence<int, Less...>) {
        return std::array<Tile*, sizeof...(Less)>{small_tile<T, Less + 1, Vectors>...};
    }
    (std::make_integer_sequence<int, most>());
    Index left = call.rows;
    for (Index parts = parts_of(left, most); parts > 0; --parts) {
        Index const rows = parts == 1 ? left : left / parts;
        tiles[static_cast<std::size_t>(rows - 1)](call, call.rows - left);
        left -= rows;
    }
}

/// All columns, in parts of about as many vectors each.
template <class T>
void small_product(SmallCall<T> call) {
    using Part = void(SmallCall<T> const&);
    constexpr std::array<Part*, most_small_vectors> parts_by_vectors{small_part<T, 1>, small_part<T, 2>,
                                                                     small_part<T, 3>, small_part<T, 4>};
    Index const columns = call.columns;
    Index vectors = parts_of(columns, lanes<T>), done = 0;
    for (Index parts = parts_of(vectors, most_small_vectors); parts > 0; --parts) {
        Index const wide = parts == 1 ? vectors : vectors / parts;
        vectors -= wide;
        call.columns = at_most(columns - done, wide * lanes<T>);
        parts_by_vectors[static_cast<std::size_t>(wide - 1)](call);
        done += call.columns;
        call.b += call.columns;
        call.c += call.columns;
    }
}

/// Terms of all columns, which lie side by side for each column, become rows: from `to` on, `width` apart.
template <class T>
void turn_terms(T const* from, Index const* column_at, Index columns, Index terms, T* to, Index width) {
    constexpr int side = lanes<T>;
    for (Index column = 0; column < columns; column += side) {
        T const* lines[side];
        for (int i = 0; i < side; ++i) lines[i] = from + column_at[at_most(column + i, columns - 1)];  // the last again
        for (Index term = 0; term < terms; term += side) {
            Index const held = at_most(terms - term, side);
            T* const here = to + term * width + column;
            Seen<T> seen;
            turn_lines<T, side, false>(
                [&](int i) {
                    return held == side ? *(Anywhere<T> const*)(lines[i] + term)
                                        : first_lanes<T>(lines[i] + term, held);
                },
                [&](int j, auto const& line) {
                    if (j < held) *(Anywhere<T>*)(here + j * width) = line;
                },
                seen);
        }
    }
}

template <class T>
struct SmallMemory {
    static constexpr Index together = 64;  // products
    T turned[bytes_of_small / sizeof(T)];
    Index b_column[most_small_columns], c_column[most_small_columns];
    Index a_row[most_small_side], c_row[most_small_side], a_term[most_small_side], b_term[most_small_side];
    Index a[together], b[together], c[together], unused[together];
};

template <class T>
void run_one_by_one(LanesCall const& call) {
    PairCall const& all = call.product;
    auto& memory = *reinterpret_cast<SmallMemory<T>*>(all.scratch);
    auto const place = [](PairLabels labels, Index* one, Index* other) {
        labels.group = 0;
        find(labels, labels.first, labels.count, one, other);
    };
    place(all.rows, memory.a_row, memory.c_row);
    place(all.terms, memory.a_term, memory.b_term);
    place(all.columns, memory.b_column, memory.c_column);
    Index const columns = all.columns.count, terms = all.terms.count, first_term = memory.b_term[0],
                width = parts_of(columns, lanes<T>) * lanes<T>;
    bool const turns = even_step(memory.b_column, columns) != 1;
    for (Index p = 0; p < terms && turns; ++p) memory.b_term[p] = p * width;
    SmallCall<T> each{nullptr,
                      nullptr,
                      nullptr,
                      memory.a_row,
                      memory.c_row,
                      memory.a_term,
                      memory.b_term,
                      all.rows.count,
                      all.columns.count,
                      all.terms.count,
                      static_cast<T>(all.scale),
                      all.accumulate,
                      all.past_cache && !all.accumulate};
    Iterations batch(call.batch, call.batch.first), batch_in_c(call.batch_in_c, call.batch_in_c.first);
    for (Index done = 0; done < call.batch.count; done += SmallMemory<T>::together) {
        Index const count = at_most(call.batch.count - done, SmallMemory<T>::together);
        take(batch, count, memory.a, memory.b);
        take(batch_in_c, count, memory.c, memory.unused);
        for (Index i = 0; i < count; ++i) {
            each.a = static_cast<T const*>(all.a) + memory.a[i];
            each.b = static_cast<T const*>(all.b) + memory.b[i];
            if (turns) {
                turn_terms<T>(each.b + first_term, memory.b_column, columns, terms, memory.turned, width);
                each.b = memory.turned;
            }
            each.c = static_cast<T*>(all.c) + memory.c[i];
            small_product(each);
        }
        if (all.pause != nullptr) all.pause(all.pause_of);
    }
#if defined(__AVX2__)
    if (each.past_cache) _mm_sfence();
#endif
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
