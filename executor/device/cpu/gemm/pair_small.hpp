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

inline constexpr int small_registers = sizeof(Vector<float>) == 64 ? 32 : 16;
inline constexpr int most_small_rows = 8;  // of a tile
template <int Parts>
inline constexpr int most_small_vectors = small_registers == 32 || Parts == 1 ? 4 : 2;

/// Where a product's elements lie, and how many columns they are, in T.
template <class T>
struct SmallCall {
    T const *a, *b;
    T* c;
    Index const *a_row, *c_row, *a_term, *b_term;
    Index rows, columns, terms;
    T scale;
    ComplexFactors<T> const* factors;  // of complex numbers, in place of scale
    bool combine, past_cache;
};

/// Some rows and columns. @tparam Vectors  of a row, the last of which may be cut
template <class T, int Parts, int Rows, int Vectors>
void small_tile(SmallCall<T> const& call, Index row) {
    constexpr Index whole = (Vectors - 1) * lanes<T>;
    Index const rest = call.columns - whole;
    Vector<T> held[Parts][Rows][Vectors] = {};
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
        for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
            for (int part = 0; part < Parts; ++part) {
                Vector<T> const of_a = a[r][at + part] - Vector<T>{};  // to all lanes; less 0 changes no number
#pragma GCC unroll 4
                for (int v = 0; v < Vectors; ++v) held[part][r][v] = fused_sum(held[part][r][v], of_a, of_b[v]);
            }
    }
    bool const stream = call.past_cache && vectors_are_lines;
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        T* const c = call.c + call.c_row[row + r];
        for (int v = 0; v < Vectors; ++v) {
            Index const count = v + 1 < Vectors ? lanes<T> : rest;
            Vector<T> value;
            if constexpr (Parts == 1)
                value = held[0][r][v] * call.scale;
            else
                value = complex_sum<T>(held[0][r][v], held[1][r][v], *call.factors);
            if (call.combine) value += first_lanes<T>(c + v * lanes<T>, count);
            if (count < lanes<T>)
                set_first_lanes<T>(c + v * lanes<T>, count, value);
            else
                store_vector<T>(c + v * lanes<T>, value, stream && begins_a_line(c + v * lanes<T>));
        }
    }
}

/// All rows, in tiles of about as many each.
template <class T, int Parts, int Vectors>
void small_part(SmallCall<T> const& call) {
    constexpr int fitting = (small_registers - Vectors - Parts) / Vectors / Parts,  // beside a row of b, and of a one
        most = fitting < most_small_rows ? fitting : most_small_rows;
    using Tile = void(SmallCall<T> const&, Index);
    constexpr auto tiles = []<int... Less>(std::integer_sequence<int, Less...>) {
        return std::array<Tile*, sizeof...(Less)>{small_tile<T, Parts, Less + 1, Vectors>...};
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
template <class T, int Parts>
void small_product(SmallCall<T> call) {
    using Part = void(SmallCall<T> const&);
    constexpr int most = most_small_vectors<Parts>;
    constexpr auto parts_by_vectors = []<int... Less>(std::integer_sequence<int, Less...>) {
        return std::array<Part*, sizeof...(Less)>{small_part<T, Parts, Less + 1>...};
    }
    (std::make_integer_sequence<int, most>());
    Index const columns = call.columns;
    Index vectors = parts_of(columns, lanes<T>), done = 0;
    for (Index parts = parts_of(vectors, most); parts > 0; --parts) {
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

template <class Element>
struct SmallMemory {
    static constexpr Index together = 64;  // products
    Element turned[bytes_of_small / sizeof(Element)];
    Index b_column[most_small_columns], c_column[most_small_columns];
    Index a_row[most_small_side], c_row[most_small_side], a_term[most_small_side], b_term[most_small_side];
    Index a[together], b[together], c[together], unused[together];
};

template <class T, int Parts>
void run_one_by_one(LanesCall const& call) {
    using Element = ElementOf<T, Parts>;
    using Memory = SmallMemory<Element>;
    PairCall const& all = call.product;
    auto& memory = *reinterpret_cast<Memory*>(all.scratch);
    auto const place = [](PairLabels labels, Index* one, Index* other) {
        labels.group = 0;
        find(labels, labels.first, labels.count, one, other);
    };
    place(all.rows, memory.a_row, memory.c_row);
    place(all.terms, memory.a_term, memory.b_term);
    place(all.columns, memory.b_column, memory.c_column);
    Index const columns = all.columns.count, terms = all.terms.count, first_term = memory.b_term[0],
                width = parts_of(columns, lanes<Element>) * lanes<Element>;
    bool const turns = even_step(memory.b_column, columns) != 1;
    for (Index p = 0; p < terms && turns; ++p) memory.b_term[p] = p * width;
    auto const in_numbers = [](Index* at, Index count) {
        for (Index i = 0; i < count; ++i) at[i] *= Parts;
    };
    if constexpr (Parts > 1) {
        in_numbers(memory.a_row, all.rows.count);
        in_numbers(memory.c_row, all.rows.count);
        in_numbers(memory.a_term, terms);
        in_numbers(memory.b_term, terms);
    }
    T const scale = static_cast<T>(all.scale);
    ComplexFactors<T> const factors(scale, all.conjugate_a, all.conjugate_b);
    SmallCall<T> each{nullptr,         nullptr,
                      nullptr,         memory.a_row,
                      memory.c_row,    memory.a_term,
                      memory.b_term,   all.rows.count,
                      columns * Parts, terms,
                      scale,           &factors,
                      all.accumulate,  all.past_cache && !all.accumulate};
    Iterations batch(call.batch, call.batch.first), batch_in_c(call.batch_in_c, call.batch_in_c.first);
    for (Index done = 0; done < call.batch.count; done += Memory::together) {
        Index const count = at_most(call.batch.count - done, Memory::together);
        take(batch, count, memory.a, memory.b);
        take(batch_in_c, count, memory.c, memory.unused);
        for (Index i = 0; i < count; ++i) {
            each.a = static_cast<T const*>(all.a) + memory.a[i] * Parts;
            each.b = static_cast<T const*>(all.b) + memory.b[i] * Parts;
            if (turns) {
                turn_terms<Element>(static_cast<Element const*>(all.b) + memory.b[i] + first_term, memory.b_column,
                                    columns, terms, memory.turned, width);
                each.b = reinterpret_cast<T const*>(memory.turned);
            }
            each.c = static_cast<T*>(all.c) + memory.c[i] * Parts;
            small_product<T, Parts>(each);
        }
        if (all.pause != nullptr) all.pause(all.pause_of);
    }
#if defined(__AVX2__)
    if (each.past_cache) _mm_sfence();
#endif
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
