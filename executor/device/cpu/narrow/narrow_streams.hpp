// Few rows of a times b where it lies, for narrow_loops.cpp: b is read once from end to end, and its elements become
// floats on the way; packing it would cost more than the product. Where columns lie side by side, some terms at a time
// are added to the sums of all columns; where terms do, each output is a sum of its own. Sums are those of the floats'
// format, in f32, in another order than a tile's where terms lie side by side.
// Example: 1 row, 4096 terms, 11008 columns of bf16: eight rows of b are read side by side, 512 times.
#pragma once

#include "executor/device/cpu/narrow/narrow_tiles.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// The first elements of a vector; the others are zero.
template <NarrowType Type>
inline Floats first_floats(Element<Type> const* from, Index count) {
    Element<Type> held[lanes] = {};
    for (Index i = 0; i < count; ++i) held[i] = from[i];
    return floats_at<Type>(held);
}

inline Floats fused(Words a, Floats b, Floats held) { return Step<NarrowFormat::floats>::of(held, a, as_words(b)); }

constexpr int streamed_terms = 8;  // that are read side by side

/// Terms `term` ... `term + Terms - 1` of columns that lie side by side.
template <NarrowType Type, int Terms>
void add_terms(NarrowStream const& call, Index term, Element<Type> const* columns, Index count, uint32_t* sums,
               bool first) {
    using E = Element<Type>;
    E const *from[Terms], *ahead[Terms];
    bool const more = term + 2 * Terms <= call.terms.count;
#pragma GCC unroll 8
    for (int t = 0; t < Terms; ++t) {
        from[t] = columns + call.terms.at[term + t];
        ahead[t] = more ? columns + call.terms.at[term + Terms + t] : from[t];
    }
    uint32_t const* const a = call.a + term * tile_rows;
    auto const add = [&](Index column, auto const& load, auto const& held_at, auto const& hold) {
        Floats b[Terms];
#pragma GCC unroll 8
        for (int t = 0; t < Terms; ++t) b[t] = load(from[t] + column);
        for (Index row = 0; row < call.rows; ++row) {
            uint32_t* const to = sums + row * call.sums_step + column;
            Floats held = first ? Floats{} : held_at(to);
#pragma GCC unroll 8
            for (int t = 0; t < Terms; ++t) held = fused(all(a[t * tile_rows + row]), b[t], held);
            hold(to, held);
        }
    };
    Index column = 0;
    for (; column + lanes <= count; column += lanes) {
#pragma GCC unroll 8
        for (int t = 0; t < Terms; ++t) __builtin_prefetch(ahead[t] + column, 0, 2);
        add(
            column, [](E const* at) { return floats_at<Type>(at); },
            [](uint32_t const* at) { return as_floats(*(WordsAnywhere const*)at); },
            [](uint32_t* to, Floats held) { *(WordsAnywhere*)to = as_words(held); });
    }
    if (column == count) return;
    Index const rest = count - column;  // sums of other columns stand behind these
    add(
        column, [&](E const* at) { return first_floats<Type>(at, rest); },
        [&](uint32_t const* at) { return first_floats<NarrowType::f32>(at, rest); },
        [&](uint32_t* to, Floats held) {
            for (Index i = 0; i < rest; ++i) to[i] = as_words(held)[i];
        });
}

template <NarrowType Type>
void stream_columns(NarrowStream const& call) {
    using E = Element<Type>;
    for (Index column = 0; column < call.columns.count;) {
        Index const run = at_most(call.columns.adjacent[column], call.columns.count - column);
        E const* const from = (E const*)call.b + call.columns.at[column];
        uint32_t* const sums = call.sums + column;
        bool first = call.first;
        Index term = 0;
        for (; term + streamed_terms <= call.terms.count; term += streamed_terms, first = false)
            add_terms<Type, streamed_terms>(call, term, from, run, sums, first);
        for (; term < call.terms.count; ++term, first = false) add_terms<Type, 1>(call, term, from, run, sums, first);
        column += run;
    }
}

inline float sum_of_lanes(Floats value) {
    alignas(64) float held[lanes];
    *(Floats*)held = value;
#pragma GCC unroll 4
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) held[i] += held[i + half];
    return held[0];
}

constexpr Index columns_at_once = 4;

/// Elements of one column, `count` of a vector's from term `term` on. @tparam Apart  its terms lie anywhere
template <NarrowType Type, bool Apart>
inline Floats terms_at(Element<Type> const* column, NarrowStream const& call, Index term, Index count) {
    if constexpr (Apart) {
        Element<Type> held[lanes] = {};
        for (Index i = 0; i < count; ++i) held[i] = column[call.terms.at[term + i]];
        return floats_at<Type>(held);
    } else {
        Element<Type> const* const from = column + call.terms.at[0] + term;
        return count == lanes ? floats_at<Type>(from) : first_floats<Type>(from, count);
    }
}

/// Sums of one row and some columns. @param a  of the row, term by term
template <NarrowType Type, int Columns, bool Apart>
void add_columns(NarrowStream const& call, uint32_t const* a, Element<Type> const* const* columns, uint32_t* sums) {
    Floats even[Columns] = {}, odd[Columns] = {};
    Index const terms = call.terms.count;
    Index term = 0;
    auto const add = [&](Floats(&to)[Columns], Index at) {
        Words const factor = *(WordsAnywhere const*)(a + at);
#pragma GCC unroll 4
        for (int c = 0; c < Columns; ++c)
            to[c] = fused(factor, terms_at<Type, Apart>(columns[c], call, at, lanes), to[c]);
    };
    for (; term + 2 * lanes <= terms; term += 2 * lanes) add(even, term), add(odd, term + lanes);
    for (; term + lanes <= terms; term += lanes) add(even, term);
    for (int c = 0; c < Columns; ++c) {
        Floats sum = even[c] + odd[c];
        if (Index const rest = terms - term; rest > 0)
            sum = fused(as_words(first_floats<NarrowType::f32>(a + term, rest)),
                        terms_at<Type, Apart>(columns[c], call, term, rest), sum);
        float const before = call.first ? 0.0f : __builtin_bit_cast(float, sums[c]);
        sums[c] = __builtin_bit_cast(uint32_t, before + sum_of_lanes(sum));
    }
}

template <NarrowType Type, bool Apart>
void stream_terms(NarrowStream const& call) {
    using E = Element<Type>;
    for (Index column = 0; column < call.columns.count; column += columns_at_once) {
        Index const count = at_most(columns_at_once, call.columns.count - column);
        E const* from[columns_at_once];
        for (Index c = 0; c < count; ++c) from[c] = (E const*)call.b + call.columns.at[column + c];
        for (Index row = 0; row < call.rows; ++row) {
            uint32_t const* const a = call.a + row * call.terms.count;
            uint32_t* const sums = call.sums + row * call.sums_step + column;
            if (count == columns_at_once)
                add_columns<Type, columns_at_once, Apart>(call, a, from, sums);
            else
                for (Index c = 0; c < count; ++c) add_columns<Type, 1, Apart>(call, a, from + c, sums + c);
        }
    }
}

template <NarrowType Type>
void stream(NarrowStream const& call) {
    if (!call.along_terms) return stream_columns<Type>(call);
    bool const apart = call.terms.adjacent[0] < call.terms.count;
    apart ? stream_terms<Type, true>(call) : stream_terms<Type, false>(call);
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
