// Vectors of 32-bit words of one instruction set, and narrow elements as words and back, for narrow_loops.cpp.
// Nothing from headers is called in here but the processor's own instructions, so that no function compiled for one set
// is taken for another.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "executor/device/cpu/narrow/narrow_loops.hpp"
#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr int lanes = vector_bytes / 4;

using Index = std::ptrdiff_t;
using std::uint16_t, std::uint32_t, std::uint8_t;

/// Some values side by side, anywhere in memory.
template <class T, int Count>
struct Group {
    typedef T Vector __attribute__((vector_size(Count * sizeof(T)), aligned(sizeof(T)), may_alias));
};
using Words = uint32_t __attribute__((vector_size(vector_bytes)));
using Floats = float __attribute__((vector_size(vector_bytes)));
using WordsAnywhere = Group<uint32_t, lanes>::Vector;

constexpr Index at_most(Index value, Index limit) { return value < limit ? value : limit; }
constexpr Index parts_of(Index value, Index part) { return (value + part - 1) / part; }

inline Words all(uint32_t value) { return value - Words{}; }
inline Words as_words(Floats value) { return (Words)value; }
inline Floats as_floats(Words value) { return (Floats)value; }

// ---- element types ----

template <NarrowType>
struct ElementOf {
    using Type = uint32_t;  // f32 and i32, by their bits
};
template <>
struct ElementOf<NarrowType::f16> {
    using Type = uint16_t;
};
template <>
struct ElementOf<NarrowType::bf16> {
    using Type = uint16_t;
};
template <>
struct ElementOf<NarrowType::i16> {
    using Type = std::int16_t;
};
template <>
struct ElementOf<NarrowType::i8> {
    using Type = std::int8_t;
};
template <>
struct ElementOf<NarrowType::u8> {
    using Type = uint8_t;
};
template <>
struct ElementOf<NarrowType::boolean> {
    using Type = uint8_t;
};
template <>
struct ElementOf<NarrowType::i64> {
    using Type = std::int64_t;
};
template <NarrowType Type>
using Element = typename ElementOf<Type>::Type;

/// Elements as words, extended with their signs where they have some.
template <class E>
inline Words widened(E const* from) {
    using Signed = std::int32_t __attribute__((vector_size(vector_bytes)));
    auto const narrow = *(typename Group<E, lanes>::Vector const*)from;
    if constexpr (__is_same(E, uint32_t))
        return narrow;
    else if constexpr (__is_same(E, std::int8_t) || __is_same(E, std::int16_t))
        return (Words) __builtin_convertvector(narrow, Signed);
    else
        return __builtin_convertvector(narrow, Words);
}

// The rounding of lib/tensor. Every case is computed and one is chosen.

inline Floats of_half(Words half) {
#if defined(__AVX512F__)
    return _mm512_maskz_cvtph_ps(0xffff, _mm512_maskz_cvtepi32_epi16(0xffff, (__m512i)half));
#else
    Words const sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
    Words const finite = as_words(as_floats(rest << 13) * 0x1p112f);  // exact; makes subnormals normal
    return as_floats(sign | (rest >= 0x7c00u ? 0x7f800000u | (rest << 13) : finite));
#endif
}
inline Words to_half(Floats value) {
    Words const bits = as_words(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    Words const normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    Floats const small = as_floats(magnitude < 0x38800000u ? magnitude : all(0)) + 0.5f;  // the add rounds to 2^-24
    Words const finite = magnitude < 0x38800000u ? as_words(small) - 0x3f000000u : normal;
    Words const special = magnitude > 0x7f800000u ? all(0x7e00u) : all(0x7c00u);
    return sign | (magnitude >= 0x477ff000u ? special : finite);
}
inline Words to_bfloat(Floats value) {
    Words const bits = as_words(value), rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded;
}

template <NarrowType Type>
inline Floats floats_at(Element<Type> const* from) {
    using Signed = std::int32_t __attribute__((vector_size(vector_bytes)));
    Words const words = widened(from);
    if constexpr (Type == NarrowType::f32) return as_floats(words);
    if constexpr (Type == NarrowType::f16) return of_half(words);
    if constexpr (Type == NarrowType::bf16) return as_floats(words << 16);
    if constexpr (Type == NarrowType::boolean)
        return __builtin_convertvector((Signed)(words != 0 ? all(1) : all(0)), Floats);
    return __builtin_convertvector((Signed)words, Floats);
}
/// Integers alone; truth values as 0 and 1.
template <NarrowType Type>
inline Words integers_at(Element<Type> const* from) {
    if constexpr (Type == NarrowType::boolean)
        return widened(from) != 0 ? all(1) : all(0);
    else if constexpr (Type == NarrowType::i64)
        return __builtin_convertvector(*(typename Group<std::int64_t, lanes>::Vector const*)from, Words);
    else
        return widened(from);
}

/// Of words that are two bf16 each: all bits of those halves that are subnormal.
inline Words subnormal_halves(Words words) {
    using Halves = uint16_t __attribute__((vector_size(vector_bytes)));
    return (Words)((((Halves)words & 0x7fff) - 1) < 0x7f);
}
inline bool has_any(Words words) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)words, (__m512i)words) != 0;
#else
    bool found = false;
    for (int i = 0; i < lanes; ++i) found |= words[i] != 0;
    return found;
#endif
}

/// Sums as elements of an output of floats.
template <NarrowType Type>
inline typename Group<Element<Type>, lanes>::Vector rounded(Floats sums) {
    using Narrow = typename Group<Element<Type>, lanes>::Vector;
    if constexpr (Type == NarrowType::f32) return (Narrow)as_words(sums);
#if defined(__AVX512BF16__)
    constexpr int subnormal = 0x20;  // which the instruction takes for 0
    if constexpr (Type == NarrowType::bf16)
        if (_mm512_fpclass_ps_mask(sums, subnormal) == 0) return (Narrow)_mm512_cvtneps_pbh(sums);
#endif
    return __builtin_convertvector(Type == NarrowType::f16 ? to_half(sums) : to_bfloat(sums), Narrow);
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
