// What a box of gate_loops.hpp is multiplied by, for gate_loops.cpp: tiles of some columns and some vectors of lanes,
// whose sums are registers. While they are computed the lines that the next box has come, a few with every term.
// Example: 24 columns and 96 lanes of f32 are three times two tiles of 8 columns and 3 vectors.
#pragma once

#include "executor/device/cpu/gemm/gate_loops.hpp"
#include "executor/device/cpu/gemm/pair_labels.hpp"
#include "executor/device/cpu/gemm/pair_rows.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// What elements are made of.
template <class Element>
struct NumberOf {
    using Type = Element;
};
template <class T>
struct NumberOf<BothParts<T>> {
    using Type = T;
};

/// Elements of two vectors of any length, added.
template <class Element, class V>
V added(V const& x, V const& y) {
    typedef typename NumberOf<Element>::Type Numbers __attribute__((vector_size(sizeof(V))));
    return (V)((Numbers)x + (Numbers)y);
}

/// A vector's worth of elements side by side, or fewer.
template <class E>
void leave_lanes(GateCall const& call, E* to, Index count, Vector<E> value) {
    using T = typename NumberOf<E>::Type;
    if (count < lanes<E>) {
        if (call.combine) value = added<E>(value, first_lanes<E>(to, count));
        return set_first_lanes<E>(to, count, value);
    }
    if (call.combine) value = added<E>(value, (Vector<E>)*(Anywhere<E> const*)to);
    bool const stream = call.past_cache && vectors_are_lines && begins_a_line(to);
    stream ? store_vector<T>(reinterpret_cast<T*>(to), (Vector<T>)value, true) : (void)(*(Anywhere<E>*)to = value);
}

/// Where vectors come from and go to: element e's are at e * step, or at at[e].
template <class T>
struct Vectors {
    T* begin;
    Index const* at;  // null: evenly apart
    Index step;
    T* of(Index element) const { return begin + (at != nullptr ? at[element] : element * step); }
    /// Those from an element and a lane on.
    Vectors from(Index element, Index lane) const {
        return {begin + (at != nullptr ? 0 : element * step) + lane, at != nullptr ? at + element : nullptr, step};
    }
};

/// The lines of the next box, of which each tile asks for some.
struct NextLines {
    char const* from;
    Index const* line;
    Index const* last;
    Index a_tile, a_line;  // lines of a tile; bytes of what lines are counted in
};

/// Some vectors of a group's terms, one after the other: read again for other columns they are in the first-level
/// cache, wherever they lie.
template <class E>
Vectors<E const> brought_near(Vectors<E const> const& in, Index elements, Index vectors, Index held, E* room) {
    for (Index e = 0; e < elements; ++e) {
        E const* const from = in.of(e);
        for (Index v = 0; v < vectors; ++v) {
            Index const left = held - v * lanes<E>;
            *(Vector<E>*)(room + (e * vectors + v) * lanes<E>) =
                left >= lanes<E> ? (Vector<E>)*(Anywhere<E> const*)(from + v * lanes<E>)
                                 : first_lanes<E>(from + v * lanes<E>, left);
        }
    }
    return {room, nullptr, vectors * lanes<E>};
}

/// One tile: `Columns` of the small tensor, `Count` vectors of lanes.
/// @param held  lanes that there are: where vectors lie in the large tensors no others are touched
template <class T, int Parts, int Columns, int Count>
__attribute__((noinline)) void multiply(GateCall const& call, Vectors<ElementOf<T, Parts> const> const& in,
                                        Vectors<ElementOf<T, Parts>> const& out, T const* matrix, Index held,
                                        NextLines& ahead) {
    using E = ElementOf<T, Parts>;
    auto const numbers = [](Vector<E> elements) { return (Vector<T>)elements; };
    Vector<T> sums[Columns][Parts][Count];
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 2
        for (int part = 0; part < Parts; ++part)
#pragma GCC unroll 3
            for (int v = 0; v < Count; ++v) sums[c][part][v] = Vector<T>{};
    bool const whole = in.at == nullptr || held >= Count * lanes<E>;
    Index const terms = call.terms;
    Index const* line = ahead.line;
    Index const* const last_line = line + at_most(ahead.last - line, ahead.a_tile);
    Index const a_term = terms == 0 ? 0 : ((last_line - line) << 16) / terms;
    Index due = 0xffff;
    for (Index term = 0; term < terms; ++term, matrix += Columns * Parts) {
        for (due += a_term; due >= 0x10000; due -= 0x10000)
            __builtin_prefetch(ahead.from + *line++ * ahead.a_line, 0, 2);
        Vector<T> a[Count];
        E const* const from = in.of(term);
#pragma GCC unroll 3
        for (int v = 0; v < Count - 1; ++v) a[v] = numbers(*(Anywhere<E> const*)(from + v * lanes<E>));
        E const* const rest = from + (Count - 1) * lanes<E>;
        a[Count - 1] =
            numbers(whole ? (Vector<E>)*(Anywhere<E> const*)rest : first_lanes<E>(rest, held - (Count - 1) * lanes<E>));
#pragma GCC unroll 8
        for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 2
            for (int part = 0; part < Parts; ++part) {
                Vector<T> const factor = matrix[c * Parts + part] - Vector<T>{};
#pragma GCC unroll 3
                for (int v = 0; v < Count; ++v) sums[c][part][v] = fused_sum(sums[c][part][v], a[v], factor);
            }
    }
    ahead.line = line;
    if constexpr (Parts == 2) {
        ComplexFactors<T> const& factors = *static_cast<ComplexFactors<T> const*>(call.factors);
#pragma GCC unroll 8
        for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 3
            for (int v = 0; v < Count; ++v) sums[c][0][v] = complex_sum<T>(sums[c][0][v], sums[c][1][v], factors);
    }
    if (call.goes_on) {
#pragma GCC unroll 8
        for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 3
            for (int v = 0; v < Count; ++v) sums[c][0][v] += numbers(*(Anywhere<E> const*)(out.of(c) + v * lanes<E>));
    }
    T const scale = call.ends ? static_cast<T>(call.scale) : T{1};
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c) {
        E* const to = out.of(c);
#pragma GCC unroll 3
        for (int v = 0; v < Count; ++v) {
            auto const value = (Vector<E>)(sums[c][0][v] * scale);
            if (out.at == nullptr)
                *(Anywhere<E>*)(to + v * lanes<E>) = value;
            else
                leave_lanes<E>(call, to + v * lanes<E>, at_most(held - v * lanes<E>, lanes<E>), value);
        }
    }
}

/// @param between  called behind each tile
template <class T, int Parts, int Count, class Between, int... Less>
void multiply_columns(GateCall const& call, Vectors<ElementOf<T, Parts> const> const& in,
                      Vectors<ElementOf<T, Parts>> const& out, T const* matrix, Index held, NextLines& ahead,
                      Between const& between, std::integer_sequence<int, Less...>) {
    using E = ElementOf<T, Parts>;
    using Tile = void(GateCall const&, Vectors<E const> const&, Vectors<E> const&, T const*, Index, NextLines&);
    constexpr Tile* tiles[] = {multiply<T, Parts, Less + 1, Count>...};
    Index const blocks = gate_blocks(call.columns, sizeof...(Less));
    for (Index block = 0; block < blocks; ++block) {
        Index const first = gate_block(call.columns, blocks, block),
                    columns = gate_block(call.columns, blocks, block + 1) - first;
        tiles[columns - 1](call, in, out.from(first, 0), matrix, held, ahead);
        between();
        matrix += columns * call.terms * Parts;
    }
}

/// Of a tile, at most.
#if defined(__AVX512F__)
inline constexpr int gate_registers = 32;
#else
inline constexpr int gate_registers = 16;
#endif
template <int Parts>
constexpr int gate_columns = gate_registers / 4 / Parts;
constexpr int gate_vectors = gate_registers > 16 ? most_gate_vectors : 2;

template <int Parts>
Index tiles_of_a_box(GateCall const& call, Index lanes_of_a_vector) {
    Index const steps = parts_of(parts_of(call.lanes, lanes_of_a_vector), gate_vectors);
    return steps * call.groups * gate_blocks(call.columns, gate_columns<Parts>);
}

// Blocks of columns, of complex numbers twice as many: measured, for 12 reading vectors where they lie was faster.
inline constexpr Index most_near = 4;

/// All groups and columns of a box.
template <class T, int Parts, class Between>
void multiply_box(GateCall const& call, Vectors<ElementOf<T, Parts> const> const& in,
                  Vectors<ElementOf<T, Parts>> const& out, Between const& between) {
    using E = ElementOf<T, Parts>;
    constexpr std::make_integer_sequence<int, gate_columns<Parts>> columns;
    Index const vectors = parts_of(call.lanes, lanes<E>), steps = parts_of(vectors, gate_vectors);
    NextLines ahead{static_cast<char const*>(call.next), call.lines, call.lines + call.lines_count,
                    parts_of(call.lines_count, tiles_of_a_box<Parts>(call, lanes<E>)), static_cast<Index>(sizeof(E))};
    Index const a_matrix = call.columns * call.terms * Parts;
    if (call.fetch_at_once) {
        for (; ahead.line < ahead.last; ++ahead.line) __builtin_prefetch(ahead.from + *ahead.line * ahead.a_line);
    }
    Index const blocks = gate_blocks(call.columns, gate_columns<Parts>);
    bool const near = call.in_is_crowded && blocks > 1 && blocks <= most_near * Parts;
    E* const room = static_cast<E*>(call.in_room);
    for (Index step = 0; step < steps; ++step) {
        Index const first = vectors * step / steps, count = vectors * (step + 1) / steps - first;
        Index const lane = first * lanes<E>, held = call.lanes - lane;
        for (Index group = 0; group < call.groups; ++group) {
            Vectors<E const> here = in.from(group * call.terms, lane);
            if (here.at != nullptr && near) here = brought_near<E>(here, call.terms, count, held, room);
            Vectors<E> const to = out.from(group * call.columns, lane);
            T const* const matrix = static_cast<T const*>(call.matrix) + group % call.matrices * a_matrix;
            if (count == 1) multiply_columns<T, Parts, 1>(call, here, to, matrix, held, ahead, between, columns);
            if (count == 2) multiply_columns<T, Parts, 2>(call, here, to, matrix, held, ahead, between, columns);
            if constexpr (gate_vectors == 3)
                if (count == 3) multiply_columns<T, Parts, 3>(call, here, to, matrix, held, ahead, between, columns);
        }
    }
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
