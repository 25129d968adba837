// Products of small matrices, many of them, for narrow_loops.cpp: operands become words in the first-level cache, tiles
// of sums stay in registers and go straight to the output. Nothing is looked up or shared between products.
#pragma once

#include "executor/device/cpu/narrow/narrow_tiles.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// The first `count` elements from here, and zeros; nothing beyond is read.
template <class E, int Count>
inline typename Group<E, Count>::Vector first_of(E const* from, Index count) {
    using Vector = typename Group<E, Count>::Vector;
    if (count >= Count) return *(Vector const*)from;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    if constexpr (sizeof(E) == 4) return (Vector)_mm512_maskz_loadu_epi32((__mmask16)((1u << count) - 1), from);
    if constexpr (sizeof(E) == 2 && Count == 16)
        return (Vector)_mm256_maskz_loadu_epi16((__mmask16)((1u << count) - 1), from);
    if constexpr (sizeof(E) == 2 && Count == 32)
        return (Vector)_mm512_maskz_loadu_epi16((__mmask32)((1ull << count) - 1), from);
#endif
    Vector some{};
    for (Index i = 0; i < count; ++i) some[i] = from[i];
    return some;
}

/// The first `count` elements of a vector go here.
template <class E, class Vector>
inline void put_first(Vector values, E* to, Index count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    auto const some = (__mmask16)((1u << at_most(count, 16)) - 1);
    if constexpr (sizeof(E) == 4) return _mm512_mask_storeu_epi32(to, some, (__m512i)values);
    if constexpr (sizeof(E) == 2) return _mm256_mask_storeu_epi16(to, some, (__m256i)values);
#endif
    if (count >= lanes) return void(*(Vector*)to = values);
    for (Index i = 0; i < count; ++i) to[i] = values[i];
}

/// An operand as words. `wide` are its rows or columns.
struct SmallOperand {
    void const* from;
    Index wide, wide_step, terms, term_step;  // steps in elements
};

/// What an operand's words were found to be.
struct Seen {
    Words subnormal{};
    void look_at(Words words) { subnormal |= subnormal_halves(words); }
};

template <NarrowFormat F, NarrowType Type>
struct SmallWords {
    using E = Element<Type>;
    static constexpr bool pairs = F == NarrowFormat::bf16_pairs;
    static constexpr Index terms_of_word = pairs ? 2 : 1;

    static Words one_of_each(E const* from, Index count) {
        Words const words = __builtin_convertvector((first_of<E, lanes>(from, count)), Words);
        if constexpr (Type == NarrowType::f16) return as_words(of_half(words));
        return Type == NarrowType::bf16 && !pairs ? words << 16 : words;
    }
    /// Words of terms that lie side by side, so many of them.
    static Words of_terms(E const* from, Index terms) {
        if constexpr (pairs) return (Words)first_of<E, 2 * lanes>(from, terms);
        return one_of_each(from, terms);
    }

    /// Rows or columns lie side by side: to[word][wide].
    static void by_word(SmallOperand const& of, uint32_t* to, Index step, Seen& seen) {
        auto const* const from = (E const*)of.from;
        for (Index term = 0; term < of.terms; term += terms_of_word, to += step)
            for (Index at = 0; at < of.wide; at += lanes) {
                E const* const here = from + term * of.term_step + at * of.wide_step;
                Words words = one_of_each(here, of.wide - at);
                if (pairs && term + 1 < of.terms) words |= one_of_each(here + of.term_step, of.wide - at) << 16;
                if (pairs) seen.look_at(words);
                *(WordsAnywhere*)(to + at) = words;
            }
    }
    /// Terms lie side by side: to[word][wide] of wide_step 1, or to[wide][word] of word_step 1.
    static void by_terms(SmallOperand const& of, uint32_t* to, Index wide_step, Index word_step, Seen& seen) {
        auto const* const from = (E const*)of.from;
        for (Index w = 0; w < of.wide; ++w)
            for (Index term = 0; term < of.terms; term += lanes * terms_of_word) {
                Words const words = of_terms(from + w * of.wide_step + term, of.terms - term);
                if (pairs) seen.look_at(words);
                uint32_t* const here = to + w * wide_step + term / terms_of_word * word_step;
                if (word_step == 1) {
                    *(WordsAnywhere*)here = words;
                    continue;
                }
                Index const count = at_most(parts_of(of.terms - term, terms_of_word), lanes);
                for (Index l = 0; l < count; ++l) here[l * word_step] = words[l];
            }
    }
};

/// Where words go: those of one row or column, and the same one of each, lie so many words apart. One of both is 1.
struct SmallPlaces {
    uint32_t* to;
    Index wide_step, word_step;
};

template <NarrowFormat F, NarrowType Type>
void to_words(SmallOperand const& of, SmallPlaces const& at, Seen& seen) {
    if (of.term_step == 1) return SmallWords<F, Type>::by_terms(of, at.to, at.wide_step, at.word_step, seen);
    SmallWords<F, Type>::by_word(of, at.to, at.word_step, seen);
}

template <NarrowFormat F>
void to_words(NarrowType type, SmallOperand const& of, SmallPlaces const& at, Seen& seen) {
    using enum NarrowType;
    if constexpr (F == NarrowFormat::bf16_pairs) return to_words<F, bf16>(of, at, seen);
    if (type == bf16) return to_words<NarrowFormat::floats, bf16>(of, at, seen);
    if (type == f16) return to_words<NarrowFormat::floats, f16>(of, at, seen);
    to_words<NarrowFormat::floats, f32>(of, at, seen);
}

/// Rows of whole pairs are words as they lie: they are only looked at.
inline void look_at_pairs(SmallOperand const& of, Seen& seen) {
    bool const dense = of.wide_step == of.terms;
    Index const rows = dense ? 1 : of.wide, run = dense ? of.wide * of.terms : of.terms;
    for (Index row = 0; row < rows; ++row)
        for (Index at = 0; at < run; at += 2 * lanes) {
            auto const* const here = (uint16_t const*)of.from + row * of.wide_step + at;
            seen.look_at((Words)first_of<uint16_t, 2 * lanes>(here, run - at));
        }
}

/// Words of both operands: row r's word w is a_row * r + a_word * w bytes from a, columns' words w lie side by side at
/// b[w * b_word].
struct SmallWordsOf {
    char const* a;
    Index a_row, a_word;
    uint32_t const* b;
    Index b_word, words;
};

using UnalignedWord = uint32_t __attribute__((aligned(2), may_alias));

/// Words of rows lie side by side, or rows of words.
enum class SmallRows { of_words, of_rows };

template <NarrowFormat F, SmallRows A, int Rows, int Vectors, class Store>
inline void small_tile(SmallWordsOf const& of, Index row, Index column, Store const& store) {
    using Held = typename Step<F>::Held;
    Held held[Rows][Vectors];
    char const* a[Rows];
    for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Vectors; ++v) held[r][v] = Held{};
        a[r] = of.a + (row + r) * (A == SmallRows::of_words ? of.a_row : 4);
        asm("" : "+r"(a[r]));  // a pointer of its own: compilers would multiply steps in the loop
    }
    Index const a_word = A == SmallRows::of_words ? 4 : of.a_word;
    uint32_t const* b = of.b + column;
    for (Index w = 0, at = 0; w < of.words; ++w, at += a_word, b += of.b_word) {
        Words columns[Vectors];
        for (int v = 0; v < Vectors; ++v) columns[v] = *(WordsAnywhere const*)(b + v * lanes);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) {
            Words const one = all(*(UnalignedWord const*)(a[r] + at));
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) held[r][v] = Step<F>::of(held[r][v], one, columns[v]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) store(held[r][v], row + r, column + v * lanes);
}

template <NarrowFormat F, SmallRows A, int Vectors, class Store>
inline void small_columns(SmallWordsOf const& of, Index rows, Index column, Store const& store) {
    Index row = 0;
    for (; row + tile_rows <= rows; row += tile_rows) small_tile<F, A, tile_rows, Vectors>(of, row, column, store);
    for (; row + 2 <= rows; row += 2) small_tile<F, A, 2, Vectors>(of, row, column, store);
    if (row < rows) small_tile<F, A, 1, Vectors>(of, row, column, store);
}

template <NarrowFormat F, SmallRows A, NarrowType Type>
void small_sums(SmallWordsOf const& of, NarrowSmall const& call, void* to) {
    auto* const c = (Element<Type>*)to;
    auto const store = [&](Floats sums, Index row, Index column) {
        Floats const value = sums * call.scale;
        Element<Type>* const here = c + row * call.c_row + column;
        put_first(rounded<Type>(value), here, call.columns - column);
    };
    Index column = 0;
    for (; column + lanes < call.columns; column += 2 * lanes) small_columns<F, A, 2>(of, call.rows, column, store);
    if (column < call.columns) small_columns<F, A, 1>(of, call.rows, column, store);
}

/// Words of a matrix's row: whole vectors.
constexpr Index padded(Index count) { return parts_of(count, lanes) * lanes; }

template <NarrowFormat F, SmallRows A>
inline void small_sums(SmallWordsOf const& of, NarrowSmall const& call, void* to) {
    using enum NarrowType;
    if (call.c_type == f32) return small_sums<F, A, f32>(of, call, to);
    if (call.c_type == f16) return small_sums<F, A, f16>(of, call, to);
    small_sums<F, A, bf16>(of, call, to);
}

/// @return the first product with a subnormal operand that the set takes for 0, those before it being done; or count
template <NarrowFormat F>
Index small(NarrowSmall const& call) {
    constexpr bool pairs = F == NarrowFormat::bf16_pairs;
    using enum NarrowType;
    Index const words = pairs ? (call.terms + 1) / 2 : call.terms;
    bool const by_terms = call.a_term == 1, as_it_lies = pairs && by_terms && call.terms % 2 == 0;
    SmallPlaces const a_places{call.words, by_terms ? padded(words) : 1, by_terms ? 1 : padded(call.rows)};
    SmallPlaces const b_places{call.words + (by_terms ? call.rows * padded(words) : words * padded(call.rows)), 1,
                               padded(call.columns)};
    SmallWordsOf of{(char const*)a_places.to, 4 * a_places.wide_step,
                    4 * a_places.word_step,   b_places.to,
                    b_places.word_step,       words};
    if (as_it_lies) of.a_row = 2 * call.a_row, of.a_word = 4;
    auto const bytes_of = [](NarrowType type) { return type == f32 ? 4 : 2; };
    for (Index product = 0; product < call.count; ++product) {
        auto const* const a = (char const*)call.a + product * call.a_next * bytes_of(call.a_type);
        auto const* const b = (char const*)call.b + product * call.b_next * bytes_of(call.b_type);
        auto* const c = (char*)call.c + product * call.c_next * bytes_of(call.c_type);
        Seen seen;
        SmallOperand const rows{a, call.rows, call.a_row, call.terms, call.a_term};
        if (as_it_lies) {
            of.a = a;
            look_at_pairs(rows, seen);
        } else {
            to_words<F>(call.a_type, rows, a_places, seen);
        }
        to_words<F>(call.b_type, {b, call.columns, call.b_column, call.terms, call.b_term}, b_places, seen);
        if (pairs && has_any(seen.subnormal)) return product;
        if (by_terms)
            small_sums<F, SmallRows::of_words>(of, call, c);
        else
            small_sums<F, SmallRows::of_rows>(of, call, c);
    }
    return call.count;
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
