// Packing for narrow_loops.cpp: elements become words, and words become panels. Elements that lie side by side in
// memory are read together, whether they are terms of one row or the same term of several; squares of words are turned
// where panels have them the other way.
#pragma once

#include "executor/device/cpu/narrow/narrow_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

// ---- words of elements ----

/// What a word is cut into.
template <int Terms>
struct Smaller {
    using Vector = std::int16_t __attribute__((vector_size(vector_bytes)));
};
template <>
struct Smaller<4> {
    using Vector = std::int8_t __attribute__((vector_size(vector_bytes)));
};

/// Which elements a word is made of, and how.
/// @tparam Right  of the second operand: high and low halves change places
enum class Plane { whole, pairs, quads, halves, low_halves, bits };

template <Plane P, NarrowFormat F, NarrowType Type, bool Right>
struct Reader {
    using E = Element<Type>;
    static constexpr int terms = P == Plane::pairs || P == Plane::low_halves ? 2
                                 : P == Plane::quads                         ? 4
                                 : P == Plane::bits                          ? 32
                                                                             : 1;
    static constexpr int run = lanes * terms;  // elements of a vector that are terms
    static constexpr bool checks = F == NarrowFormat::bf16_pairs;
    static constexpr bool raw = sizeof(E) * terms == 4 && Type != NarrowType::boolean && P != Plane::halves;

    static Words halves_of(Words x) {
        Words const low = x & 0xffffu, high = (x >> 16) + (low >> 15);  // of the number whose low half has a sign
        return Right ? (low << 16) | (high & 0xffffu) : (high << 16) | low;
    }
    static Words one_at(E const* from) {
        if constexpr (F == NarrowFormat::floats) return as_words(floats_at<Type>(from));
        if constexpr (P == Plane::halves) return halves_of(integers_at<Type>(from));
        return integers_at<Type>(from);
    }
    /// Of one row, terms that lie side by side.
    static Words of_terms(E const* from, bool inverted) {
        if constexpr (raw) {
            return (Words) * (typename Group<E, run>::Vector const*)from;
        } else if constexpr (terms == 1) {
            return one_at(from);
        } else {
            return packed_terms(from, inverted);
        }
    }
    static Words packed_terms(E const* from, bool inverted) {
        if constexpr (P == Plane::bits) {
            alignas(64) uint32_t words[lanes];
            for (int word = 0; word < lanes; ++word) words[word] = bits_at(from + 32 * word);
            Words const packed = *(Words const*)words;
            return inverted ? ~packed : packed;
        } else {
            using Part = typename Smaller<terms>::Vector;
            Part const parts = __builtin_convertvector(*(typename Group<E, run>::Vector const*)from, Part);
            if constexpr (Type == NarrowType::boolean) return (Words)(parts != 0) & (Words)(Part{} + 1);
            return (Words)parts;
        }
    }
    static uint32_t bits_at(E const* from) {
#if defined(__AVX512BW__)
        __m256i const bytes = _mm256_loadu_si256((__m256i const*)from);
        return _mm256_test_epi8_mask(bytes, bytes);
#elif defined(__AVX2__)
        __m256i const bytes = _mm256_loadu_si256((__m256i const*)from);
        return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
#else
        uint32_t made = 0;
        for (int bit = 0; bit < 32; ++bit) made |= (uint32_t)(from[bit] != 0) << bit;
        return made;
#endif
    }
    /// Of rows that lie side by side, one word each: term t's are at from[t], null where there is none.
    static Words of_rows(E const* const* from, bool inverted) {
        if constexpr (terms == 1) {
            return one_at(from[0]);
        } else {
            constexpr int bits = 32 / terms;
            Words packed{};
#pragma GCC unroll 4
            for (int term = 0; term < terms; ++term) {
                if (from[term] == nullptr) continue;
                Words const value = P == Plane::bits ? (integers_at<Type>(from[term]) ^ (inverted ? 1u : 0u))
                                                     : integers_at<Type>(from[term]) & (uint32_t)((1ull << bits) - 1);
                packed |= value << (term * bits);
            }
            return packed;
        }
    }
    static bool is_subnormal(Words words) { return checks && has_any(subnormal_halves(words)); }
};

// ---- squares ----

template <int... I>
struct Numbers {};
template <int Count, int... I>
struct NumbersBelow : NumbersBelow<Count - 1, Count - 1, I...> {};
template <int... I>
struct NumbersBelow<0, I...> {
    using Type = Numbers<I...>;
};

template <int... I>
inline Words merged(Words x, Words y, int from, Numbers<I...>) {
    return from == 0 ? __builtin_shufflevector(x, y, (I / 2 + I % 2 * lanes)...)
                     : __builtin_shufflevector(x, y, (lanes / 2 + I / 2 + I % 2 * lanes)...);
}
/// Rows become columns: a perfect shuffle of all words, as often as an index has bits.
inline void turn(Words (&rows)[lanes]) {
    Words turned[lanes];
#pragma GCC unroll 4
    for (int round = 1; round < lanes; round *= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i)
            turned[i] = merged(rows[i / 2], rows[i / 2 + lanes / 2], i % 2, typename NumbersBelow<lanes>::Type{});
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i) rows[i] = turned[i];
    }
}

// ---- panels ----

/// Where words of a panel are: [word][row], or, of AMX's first operand, [sixteen words][row][word].
/// @tparam Width  rows or columns of a panel; the last may have fewer vectors
template <int Width, bool ByRow>
struct Panels {
    uint32_t* to;
    Index words, wide;

    Index width(Index first) const {
        if constexpr (Width <= lanes) return Width;
        Index const left = parts_of(wide - first, lanes) * lanes;
        return left < Width ? left : Width;
    }
    /// A word of as many rows as a vector has lanes.
    void put_rows(Index row, Index word, Words const& value) const {
        if constexpr (Width >= lanes) {
            Index const first = row / Width * Width;
            *(WordsAnywhere*)(to + first * words + word * width(first) + row - first) = value;
        } else {
            using Part = typename Group<uint32_t, Width>::Vector;
            alignas(64) uint32_t held[lanes];
            *(Words*)held = value;
#pragma GCC unroll 4
            for (int part = 0; part < lanes / Width; ++part)
                if (row + part * Width < wide)
                    *(Part*)(to + (row + part * Width) * words + word * Width) = *(Part const*)(held + part * Width);
        }
    }
    /// A row's words from one on, as many as a vector has lanes.
    void put_words(Index row, Index word, Words const& value) const {
        Index const first = row / Width * Width;
        *(WordsAnywhere*)(to + first * words + (word * width(first)) + (row - first) * lanes) = value;
    }
};

template <class E>
void gather(E const* from, NarrowPlaces const& places, Index first, Index count, E* to) {
    Index const there = places.count - first < count ? places.count - first : count;
    Index i = 0;
    for (; i < there; ++i) to[i] = from[places.at[first + i]];
    for (; i < count; ++i) to[i] = 0;
}
inline bool lie_together(NarrowPlaces const& places, Index first, Index count) {
    return first < places.count && places.adjacent[first] >= count;
}

/// One plane of words: `count` of each row, from word `first` on.
template <class Read, int Width, bool ByRow>
class Pack {
public:
    using E = typename Read::E;
    Pack(NarrowPacking const& packing, Index from_word, Index words)
        : call(packing), to{packing.to, packing.words, packing.wide.count}, first(from_word), count(words) {}

    bool run() {
        double const along = (double)at_most(call.terms.adjacent[0], Read::run) / Read::run,
                     across = (double)at_most(call.wide.adjacent[0], lanes) / lanes;
        if (along > across || (along == across && ByRow))
            by_terms();
        else
            by_rows();
        return subnormal;
    }

private:
    E const* from() const { return (E const*)call.from; }

    void by_terms() {
        alignas(64) E gathered[Read::run];
        constexpr Index ahead = 512 / (Index)sizeof(E);
        for (Index row = 0; row < call.wide.count; row += lanes)
            for (Index word = 0; word < count; word += lanes) {
                Index const term = word * Read::terms;
                bool const together = lie_together(call.terms, term, Read::run);
                Words square[lanes];
                for (int i = 0; i < lanes; ++i) {
                    square[i] = Words{};
                    if (row + i >= call.wide.count || term >= call.terms.count) continue;
                    E const* at = from() + call.wide.at[row + i];
                    if (together) {
                        at += call.terms.at[term];
                        __builtin_prefetch(at + ahead);
                    } else {
                        gather(at, call.terms, term, Read::run, gathered);
                        at = gathered;
                    }
                    square[i] = Read::of_terms(at, call.inverted && together);
                    if (call.inverted && !together) invert(square[i], term);
                    if constexpr (Read::checks) subnormal |= Read::is_subnormal(square[i]);
                }
                put_square(row, word, square);
            }
    }
    /// Only terms that there are.
    void invert(Words& words, Index term) const {
        for (int lane = 0; lane < lanes; ++lane) {
            Index const left = call.terms.count - term - (Index)lane * Read::terms;
            if (left > 0) words[lane] ^= left >= Read::terms ? ~0u : (1u << left) - 1;
        }
    }
    void put_square(Index row, Index word, Words (&square)[lanes]) const {
        if constexpr (ByRow) {
            for (int i = 0; i < lanes; ++i) to.put_words(row + i, first + word, square[i]);
        } else {
            turn(square);
            for (int i = 0; i < lanes && word + i < count; ++i) to.put_rows(row, first + word + i, square[i]);
        }
    }

    void by_rows() {
        if constexpr (ByRow) {
            for (Index word = 0; word < count; word += lanes)
                for (Index row = 0; row < call.wide.count; row += lanes) {
                    Words square[lanes];
                    for (int i = 0; i < lanes; ++i) square[i] = word_of_rows(row, word + i);
                    turn(square);
                    for (int i = 0; i < lanes; ++i) to.put_words(row + i, first + word, square[i]);
                }
        } else {
            for (Index word = 0; word < count; ++word) rows_of_word(word);
        }
    }
    /// Where all terms of the word are there, their rows are found once.
    void rows_of_word(Index word) {
        bool const whole = (word + 1) * Read::terms <= call.terms.count;
        E const *terms[Read::terms], *begins[Read::terms], *later[Read::terms];
        for (int t = 0; t < Read::terms && whole; ++t) {
            Index const term = word * Read::terms + t;
            begins[t] = from() + call.terms.at[term];
            later[t] = from() + call.terms.at[at_most(term + 8 * Read::terms, call.terms.count - 1)];
        }
        for (Index row = 0; row < call.wide.count; row += lanes) {
            if (!whole || !lie_together(call.wide, row, lanes)) {
                to.put_rows(row, first + word, word_of_rows(row, word));
                continue;
            }
            Index const at = call.wide.at[row];
            for (int t = 0; t < Read::terms; ++t) {
                terms[t] = begins[t] + at;
                __builtin_prefetch(later[t] + at);
            }
            Words const made = Read::of_rows(terms, call.inverted);
            if constexpr (Read::checks) subnormal |= Read::is_subnormal(made);
            to.put_rows(row, first + word, made);
        }
    }
    Words word_of_rows(Index row, Index word) {
        alignas(64) E gathered[Read::terms][lanes];
        E const* terms[Read::terms];
        bool const together = lie_together(call.wide, row, lanes);
        for (int t = 0; t < Read::terms; ++t) {
            Index const term = word * Read::terms + t;
            terms[t] = nullptr;
            if (term >= call.terms.count) {
                if (Read::terms > 1) continue;
                return Words{};
            }
            E const* at = from() + call.terms.at[term];
            if (together) {
                terms[t] = at + call.wide.at[row];
                Index const later = at_most(term + 8 * Read::terms, call.terms.count - 1);
                __builtin_prefetch(from() + call.terms.at[later] + call.wide.at[row]);
            } else {
                gather(at, call.wide, row, lanes, gathered[t]);
                terms[t] = gathered[t];
            }
        }
        Words const made = Read::of_rows(terms, call.inverted);
        if constexpr (Read::checks) subnormal |= Read::is_subnormal(made);
        return made;
    }

    NarrowPacking const& call;
    Panels<Width, ByRow> to;
    Index first, count;
    bool subnormal = false;
};

template <NarrowFormat F>
constexpr Plane first_plane = F == NarrowFormat::bf16_pairs || F == NarrowFormat::i16_pairs ? Plane::pairs
                              : F == NarrowFormat::i8_quads                                 ? Plane::quads
                              : F == NarrowFormat::i32_halves                               ? Plane::halves
                              : F == NarrowFormat::bits                                     ? Plane::bits
                                                                                            : Plane::whole;

template <NarrowFormat F, NarrowType Type, int Width, bool ByRow, bool Right>
bool pack(NarrowPacking const& call) {
    using First = Reader<first_plane<F>, F, Type, Right>;
    if constexpr (F == NarrowFormat::i32_halves) {
        using Second = Reader<Plane::low_halves, F, Type, Right>;
        Index const pairs = call.words / 3;
        Pack<First, Width, ByRow>(call, 0, 2 * pairs).run();
        Pack<Second, Width, ByRow>(call, 2 * pairs, pairs).run();
        return false;
    } else {
        return Pack<First, Width, ByRow>(call, 0, call.words).run();
    }
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
