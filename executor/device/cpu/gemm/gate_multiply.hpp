// What a box of gate_loops.hpp is multiplied by, for gate_loops.cpp: tiles of some columns and some vectors of lanes,
// whose sums are registers. While they are computed the lines that the next box has come, a few with every term.
// Example: 24 columns and 96 lanes of f32 are three times two tiles of 8 columns and 3 vectors.
#pragma once

#include "executor/device/cpu/gemm/gate_loops.hpp"
#include "executor/device/cpu/gemm/pair_labels.hpp"
#include "executor/device/cpu/gemm/pair_rows.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// A vector's worth of elements side by side, or fewer.
template <class T>
void leave_lanes(GateCall const& call, T* to, Index count, Vector<T> value) {
    if (count < lanes<T>) {
        if (call.combine) value += first_lanes<T>(to, count);
        return set_first_lanes<T>(to, count, value);
    }
    if (call.combine) value += *(Anywhere<T> const*)to;
    bool const stream = call.past_cache && vectors_are_lines && begins_a_line(to);
    stream ? store_vector<T>(to, value, true) : (void)(*(Anywhere<T>*)to = value);
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
template <class T>
Vectors<T const> brought_near(Vectors<T const> const& in, Index elements, Index vectors, Index held, T* room) {
    for (Index e = 0; e < elements; ++e) {
        T const* const from = in.of(e);
        for (Index v = 0; v < vectors; ++v) {
            Index const left = held - v * lanes<T>;
            *(Vector<T>*)(room + (e * vectors + v) * lanes<T>) = left >= lanes<T>
                                                                     ? *(Anywhere<T> const*)(from + v * lanes<T>)
                                                                     : first_lanes<T>(from + v * lanes<T>, left);
        }
    }
    return {room, nullptr, vectors * lanes<T>};
}

/// One tile: `Columns` of the small tensor, `Count` vectors of lanes.
/// @param held  lanes that there are: where vectors lie in the large tensors no others are touched
template <class T, int Parts, int Columns, int Count>
__attribute__((noinline)) void multiply(GateCall const& call, Vectors<T const> const& in, Vectors<T> const& out,
                                        T const* matrix, Index held, NextLines& ahead) {
    Vector<T> sums[Columns][Parts][Count];
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 2
        for (int part = 0; part < Parts; ++part)
#pragma GCC unroll 3
            for (int v = 0; v < Count; ++v) sums[c][part][v] = Vector<T>{};
    bool const whole = in.at == nullptr || held >= Count * lanes<T>;
    Index const terms = call.terms;
    Index const* line = ahead.line;
    Index const* const last_line = line + at_most(ahead.last - line, ahead.a_tile);
    Index const a_term = terms == 0 ? 0 : ((last_line - line) << 16) / terms;
    Index due = 0xffff;
    for (Index term = 0; term < terms; ++term, matrix += Columns * Parts) {
        for (due += a_term; due >= 0x10000; due -= 0x10000)
            __builtin_prefetch(ahead.from + *line++ * ahead.a_line, 0, 2);
        Vector<T> a[Parts][Count];
#pragma GCC unroll 2
        for (int part = 0; part < Parts; ++part) {
            T const* const from = in.of(term * Parts + part);
#pragma GCC unroll 3
            for (int v = 0; v < Count - 1; ++v) a[part][v] = *(Anywhere<T> const*)(from + v * lanes<T>);
            T const* const rest = from + (Count - 1) * lanes<T>;
            a[part][Count - 1] =
                whole ? *(Anywhere<T> const*)rest : first_lanes<T>(rest, held - (Count - 1) * lanes<T>);
        }
#pragma GCC unroll 8
        for (int c = 0; c < Columns; ++c) {
            Vector<T> const re = matrix[c * Parts] - Vector<T>{};
#pragma GCC unroll 3
            for (int v = 0; v < Count; ++v) sums[c][0][v] = fused_sum(sums[c][0][v], a[0][v], re);
            if constexpr (Parts == 2) {
                Vector<T> const im = matrix[c * Parts + 1] - Vector<T>{};
#pragma GCC unroll 3
                for (int v = 0; v < Count; ++v) {
                    sums[c][0][v] = fused_sum(sums[c][0][v], -a[1][v], im);
                    sums[c][1][v] = fused_sum(sums[c][1][v], a[0][v], im);
                    sums[c][1][v] = fused_sum(sums[c][1][v], a[1][v], re);
                }
            }
        }
    }
    ahead.line = line;
    if (call.goes_on) {
#pragma GCC unroll 8
        for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 2
            for (int part = 0; part < Parts; ++part)
#pragma GCC unroll 3
                for (int v = 0; v < Count; ++v)
                    sums[c][part][v] += *(Anywhere<T> const*)(out.of(c * Parts + part) + v * lanes<T>);
    }
    T const scale = call.ends ? static_cast<T>(call.scale) : T{1};
#pragma GCC unroll 8
    for (int c = 0; c < Columns; ++c)
#pragma GCC unroll 2
        for (int part = 0; part < Parts; ++part) {
            T* const to = out.of(c * Parts + part);
#pragma GCC unroll 3
            for (int v = 0; v < Count; ++v) {
                Vector<T> const value = sums[c][part][v] * scale;
                if (out.at == nullptr)
                    *(Anywhere<T>*)(to + v * lanes<T>) = value;
                else
                    leave_lanes<T>(call, to + v * lanes<T>, at_most(held - v * lanes<T>, lanes<T>), value);
            }
        }
}

/// @param between  called behind each tile
template <class T, int Parts, int Count, class Between, int... Less>
void multiply_columns(GateCall const& call, Vectors<T const> const& in, Vectors<T> const& out, T const* matrix,
                      Index held, NextLines& ahead, Between const& between, std::integer_sequence<int, Less...>) {
    using Tile = void(GateCall const&, Vectors<T const> const&, Vectors<T> const&, T const*, Index, NextLines&);
    constexpr Tile* tiles[] = {multiply<T, Parts, Less + 1, Count>...};
    Index const blocks = gate_blocks(call.columns, sizeof...(Less));
    for (Index block = 0; block < blocks; ++block) {
        Index const first = gate_block(call.columns, blocks, block),
                    columns = gate_block(call.columns, blocks, block + 1) - first;
        tiles[columns - 1](call, in, out.from(first * Parts, 0), matrix, held, ahead);
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
template <int Parts>
constexpr int gate_vectors = gate_registers > 16 && Parts == 1 ? most_gate_vectors : 2;

template <int Parts>
Index tiles_of_a_box(GateCall const& call, Index lanes_of_a_vector) {
    Index const steps = parts_of(parts_of(call.lanes, lanes_of_a_vector), gate_vectors<Parts>);
    return steps * call.groups * gate_blocks(call.columns, gate_columns<Parts>);
}

inline constexpr Index most_near = 4;  // blocks of columns: measured, for 12 reading vectors where they lie was faster

/// All groups and columns of a box.
template <class T, int Parts, class Between>
void multiply_box(GateCall const& call, Vectors<T const> const& in, Vectors<T> const& out, Between const& between) {
    constexpr std::make_integer_sequence<int, gate_columns<Parts>> columns;
    Index const vectors = parts_of(call.lanes, lanes<T>), steps = parts_of(vectors, gate_vectors<Parts>);
    NextLines ahead{static_cast<char const*>(call.next), call.lines, call.lines + call.lines_count,
                    parts_of(call.lines_count, tiles_of_a_box<Parts>(call, lanes<T>)), static_cast<Index>(sizeof(T))};
    Index const a_matrix = call.columns * call.terms * Parts;
    if (call.fetch_at_once) {
        for (; ahead.line < ahead.last; ++ahead.line) __builtin_prefetch(ahead.from + *ahead.line * ahead.a_line);
    }
    Index const blocks = gate_blocks(call.columns, gate_columns<Parts>);
    bool const near = call.in_is_crowded && blocks > 1 && blocks <= most_near;
    T* const room = static_cast<T*>(call.in_room);
    for (Index step = 0; step < steps; ++step) {
        Index const first = vectors * step / steps, count = vectors * (step + 1) / steps - first;
        Index const lane = first * lanes<T>, held = call.lanes - lane;
        for (Index group = 0; group < call.groups; ++group) {
            Vectors<T const> here = in.from(group * call.terms * Parts, lane);
            if (here.at != nullptr && near) here = brought_near<T>(here, call.terms * Parts, count, held, room);
            Vectors<T> const to = out.from(group * call.columns * Parts, lane);
            T const* const matrix = static_cast<T const*>(call.matrix) + group % call.matrices * a_matrix;
            if (count == 1) multiply_columns<T, Parts, 1>(call, here, to, matrix, held, ahead, between, columns);
            if (count == 2) multiply_columns<T, Parts, 2>(call, here, to, matrix, held, ahead, between, columns);
            if constexpr (gate_vectors<Parts> == 3)
                if (count == 3) multiply_columns<T, Parts, 3>(call, here, to, matrix, held, ahead, between, columns);
        }
    }
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
