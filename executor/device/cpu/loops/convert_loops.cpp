// The conversions of vector tiles for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each,
// in a namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake). Nothing from headers is called in here
// but the processor's own instructions.
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <type_traits>

#include "executor/device/cpu/loops/tile_convert.hpp"

#ifndef EIN_INSTRUCTION_SET
#define EIN_INSTRUCTION_SET baseline  // for tools that read this file by itself
#endif

namespace ein::executor::EIN_INSTRUCTION_SET {

// Halves are rounded as lib/tensor does it: every case is computed and one is chosen, so that loops vectorise.

namespace {

float as_float(std::uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
std::uint32_t as_bits(float value) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    return bits;
}

// Elements as memory has them, where no type of C++ says what they are.
struct Half {
    std::uint16_t bits;
};
struct BFloat {
    std::uint16_t bits;
};
struct Truth {
    std::uint8_t byte;
};

template <class T>
constexpr T number_of(T value) {
    return value;
}
[[maybe_unused]] float number_of(Half half) {
    std::uint32_t const sign = (half.bits & 0x8000u) << 16, rest = half.bits & 0x7fffu;
    std::uint32_t const finite = as_bits(as_float(rest << 13) * 0x1p112f);  // exact; makes subnormals normal
    std::uint32_t const quiet = rest > 0x7c00u ? 0x400000u : 0u;  // nans become quiet, as processors make them
    return as_float(sign | quiet | (rest >= 0x7c00u ? 0x7f800000u | (rest << 13) : finite));
}
float number_of(BFloat value) { return as_float(static_cast<std::uint32_t>(value.bits) << 16); }
std::uint8_t number_of(Truth value) { return value.byte < 1 ? value.byte : std::uint8_t{1}; }  // one instruction

/// Whole numbers without their `lost` low bits, the last of the others odd where one of those was set.
template <class Whole>
Whole with_odd_end(Whole value, Whole lost) {
    return (((value & lost) + lost) | value) & ~lost;
}

/// A number as f32, of which what is narrower is rounded to as if at once: see round_to_odd() of lib/base/float16.hpp.
/// Of whole numbers, which as f32 are 0 or normal, a few more digits than halves have are enough.
template <class T>
float to_odd(T value) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
        bool const held = value > -(std::int64_t{1} << 53) && value < (std::int64_t{1} << 53);
        double const number = static_cast<double>(held ? value : with_odd_end<std::int64_t>(value, 0x7ff));
        std::int64_t bits;
        __builtin_memcpy(&bits, &number, 8);
        bits = with_odd_end<std::int64_t>(bits, (1 << 29) - 1);  // that f32 does not have
        double odd;
        __builtin_memcpy(&odd, &bits, 8);
        return static_cast<float>(odd);
    } else if constexpr (std::is_same_v<T, double>) {
        float const nearest = static_cast<float>(value);
        std::uint32_t const bits = as_bits(nearest);
        double const difference = __builtin_fabs(value) - __builtin_fabs(static_cast<double>(nearest));
        std::uint32_t const step = difference > 0 ? 1u : difference < 0 ? ~0u : 0u;  // nan and inf: none
        return as_float((bits & 1u) != 0 ? bits : bits + step);
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        bool const held = value > -(1 << 24) && value < (1 << 24);
        return static_cast<float>(held ? value : with_odd_end<std::int32_t>(value, 0xff));
    } else {
        return static_cast<float>(value);
    }
}

[[maybe_unused]] std::uint16_t bits_of_half(float value) {
    std::uint32_t const bits = as_bits(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    std::uint32_t const normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    float const small = as_float(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;  // the add rounds to 2^-24
    std::uint32_t const finite = magnitude < 0x38800000u ? as_bits(small) - 0x3f000000u : normal;
    std::uint32_t const special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return static_cast<std::uint16_t>(sign | (magnitude >= 0x477ff000u ? special : finite));
}
std::uint16_t bits_of_bfloat(float value) {
    std::uint32_t const bits = as_bits(value), rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded);
}

/// An integer widens, wraps or becomes a real number; a real number is truncated to an i64, of which the low bits stay:
/// 0 for nan and what no i64 holds.
template <class To, class From>
To element_of(From value) {
    auto const number = number_of(value);
    using Number = decltype(number_of(value));
    if constexpr (std::is_same_v<To, Truth>) {
        return {static_cast<std::uint8_t>(number != Number(0))};
    } else if constexpr (std::is_same_v<To, Half>) {
        return {bits_of_half(to_odd(number))};
    } else if constexpr (std::is_same_v<To, BFloat>) {
        return {bits_of_bfloat(to_odd(number))};
    } else if constexpr (std::is_floating_point_v<Number> && std::is_integral_v<To>) {
        bool const fits = (number >= Number(-0x1p63)) & (number < Number(0x1p63));
        return static_cast<To>(fits ? static_cast<std::int64_t>(number) : 0);
    } else {
        return static_cast<To>(number);
    }
}

struct Complex64 {
    float re, im;
};
struct Complex128 {
    double re, im;
};
template <class To, class From>
To real_part(From value) {
    return value.re;
}
template <class To, class From>
To with_zero(From value) {
    return {value, 0};
}

template <class From, class To, To (*convert)(From)>
void convert_adjacent(void const* __restrict from, void* __restrict to, std::size_t count) {
    auto const* const source = static_cast<From const*>(from);
    auto* const target = static_cast<To*>(to);
    for (std::size_t i = 0; i < count; ++i) target[i] = convert(source[i]);
}

#if defined(__AVX512F__)
/// Which of the next sixteen elements there are.
__mmask16 sixteen_of(std::size_t left) { return static_cast<__mmask16>(left >= 16 ? 0xffffu : (1u << left) - 1); }

void widen_halves(void const* __restrict from, void* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 16) {
        __mmask16 const some = sixteen_of(count - i);
        __m256i const halves = _mm256_maskz_loadu_epi16(some, static_cast<Half const*>(from) + i);
        _mm512_mask_storeu_ps(static_cast<float*>(to) + i, some, _mm512_maskz_cvtph_ps(0xffff, halves));
    }
}
/// A nan becomes the one of its sign.
void narrow_to_halves(void const* __restrict from, void* __restrict to, std::size_t count) {
    __m512i const sign = _mm512_set1_epi32(static_cast<int>(0x80000000u)), quiet = _mm512_set1_epi32(0x7fc00000);
    for (std::size_t i = 0; i < count; i += 16) {
        __mmask16 const some = sixteen_of(count - i);
        __m512i const bits = _mm512_maskz_loadu_epi32(some, static_cast<float const*>(from) + i);
        __mmask16 const is_nan = _mm512_cmpneq_ps_mask(_mm512_castsi512_ps(bits), _mm512_castsi512_ps(bits));
        __m512i const settled = _mm512_mask_or_epi32(bits, is_nan, _mm512_and_si512(bits, sign), quiet);
        _mm256_mask_storeu_epi16(
            static_cast<Half*>(to) + i, some,
            _mm512_maskz_cvtps_ph(0xffff, _mm512_castsi512_ps(settled), _MM_FROUND_TO_NEAREST_INT));
    }
}
void widen_bfloats(void const* __restrict from, void* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 16) {
        __mmask16 const some = sixteen_of(count - i);
        __m256i const upper = _mm256_maskz_loadu_epi16(some, static_cast<BFloat const*>(from) + i);
        __m512i const bits = _mm512_maskz_slli_epi32(0xffff, _mm512_maskz_cvtepu16_epi32(0xffff, upper), 16);
        _mm512_mask_storeu_epi32(static_cast<float*>(to) + i, some, bits);
    }
}
void narrow_to_bfloats(void const* __restrict from, void* __restrict to, std::size_t count) {
    __m512i const below = _mm512_set1_epi32(0x7fff), one = _mm512_set1_epi32(1), quiet = _mm512_set1_epi32(0x400000);
    for (std::size_t i = 0; i < count; i += 16) {
        __mmask16 const some = sixteen_of(count - i);
        __m512i const bits = _mm512_maskz_loadu_epi32(some, static_cast<float const*>(from) + i);
        __mmask16 const is_nan = _mm512_cmpneq_ps_mask(_mm512_castsi512_ps(bits), _mm512_castsi512_ps(bits));
        __m512i const odd = _mm512_and_si512(_mm512_maskz_srli_epi32(0xffff, bits, 16), one);
        __m512i const rounded = _mm512_add_epi32(_mm512_add_epi32(bits, below), odd);
        __m512i const settled = _mm512_mask_or_epi32(rounded, is_nan, bits, quiet);
        _mm512_mask_cvtepi32_storeu_epi16(static_cast<BFloat*>(to) + i, some,
                                          _mm512_maskz_srli_epi32(0xffff, settled, 16));
    }
}
#else
constexpr ConvertLoop widen_halves = convert_adjacent<Half, float, element_of<float, Half>>;
constexpr ConvertLoop narrow_to_halves = convert_adjacent<float, Half, element_of<Half, float>>;
constexpr ConvertLoop widen_bfloats = convert_adjacent<BFloat, float, element_of<float, BFloat>>;
constexpr ConvertLoop narrow_to_bfloats = convert_adjacent<float, BFloat, element_of<BFloat, float>>;
#endif

/// By way of another type, some elements at a time: each half of the way is a short loop of vectors.
template <class From, class Between, class To, ConvertLoop first, ConvertLoop second>
void by_way(void const* __restrict from, void* __restrict to, std::size_t count) {
    constexpr std::size_t together = 512;
    auto const* const source = static_cast<From const*>(from);
    auto* const target = static_cast<To*>(to);
    Between between[together];
    for (std::size_t i = 0; i < count; i += together) {
        std::size_t const n = count - i < together ? count - i : together;
        first(source + i, between, n);
        second(between, target + i, n);
    }
}

/// What fits 32 bits, as nearly all numbers do, is truncated to so many.
template <class To>
void truncate_floats(void const* __restrict from, void* __restrict to, std::size_t count) {
    constexpr std::size_t together = 256;
    auto const* source = static_cast<float const*>(from);
    auto* target = static_cast<To*>(to);
    for (std::size_t n; count > 0; count -= n, source += n, target += n) {
        n = count < together ? count : together;
        int beyond = 0;
        for (std::size_t i = 0; i < n; ++i) beyond |= !(__builtin_fabsf(source[i]) < 0x1p31f);
        if (beyond == 0)
            for (std::size_t i = 0; i < n; ++i) target[i] = static_cast<To>(static_cast<std::int32_t>(source[i]));
        else
            for (std::size_t i = 0; i < n; ++i) target[i] = element_of<To>(source[i]);
    }
}

template <class T>
float odd_float(T value) {
    return to_odd(number_of(value));
}

template <class From, class To>
constexpr ConvertLoop between() {
    constexpr bool from_half = std::is_same_v<From, Half>, to_half = std::is_same_v<To, Half>;
    constexpr bool to_whole = std::is_integral_v<To> && sizeof(To) <= 4;
    if constexpr (std::is_same_v<From, To>)
        return nullptr;
    else if constexpr (std::is_same_v<From, Truth> && sizeof(To) > 1)
        return by_way<Truth, std::uint8_t, To, between<Truth, std::uint8_t>(), between<std::uint8_t, To>()>;
    else if constexpr (from_half && std::is_same_v<To, float>)
        return widen_halves;
    else if constexpr (to_half && std::is_same_v<From, float>)
        return narrow_to_halves;
    else if constexpr (std::is_same_v<From, BFloat> && std::is_same_v<To, float>)
        return widen_bfloats;
    else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, BFloat>)
        return narrow_to_bfloats;
    else if constexpr (from_half)
        return by_way<Half, float, To, widen_halves, between<float, To>()>;
    else if constexpr (to_half)
        return by_way<From, float, Half, convert_adjacent<From, float, odd_float<From>>, narrow_to_halves>;
    else if constexpr (to_whole && std::is_same_v<From, float>)
        return truncate_floats<To>;
    else if constexpr (to_whole && std::is_same_v<From, BFloat>)
        return by_way<BFloat, float, To, widen_bfloats, truncate_floats<To>>;
    else
        return convert_adjacent<From, To, element_of<To, From>>;
}

template <class From, class Real, class Complex>
ConvertLoop to_complex() {
    constexpr ConvertLoop with_parts = convert_adjacent<Real, Complex, with_zero<Complex, Real>>;
    if constexpr (std::is_same_v<From, Real>)
        return with_parts;
    else
        return by_way<From, Real, Complex, between<From, Real>(), with_parts>;
}

template <class From>
ConvertLoop from_real(DType to) {
    switch (to) {
        case DType::boolean: return between<From, Truth>();
        case DType::u8: return between<From, std::uint8_t>();
        case DType::i8: return between<From, std::int8_t>();
        case DType::i16: return between<From, std::int16_t>();
        case DType::i32: return between<From, std::int32_t>();
        case DType::i64: return between<From, std::int64_t>();
        case DType::f16: return between<From, Half>();
        case DType::bf16: return between<From, BFloat>();
        case DType::f32: return between<From, float>();
        case DType::f64: return between<From, double>();
        case DType::c64: return to_complex<From, float, Complex64>();
        case DType::c128: return to_complex<From, double, Complex128>();
    }
    return nullptr;
}

/// Both parts as numbers of their own.
template <class From, class To>
void convert_parts(void const* __restrict from, void* __restrict to, std::size_t count) {
    convert_adjacent<From, To, element_of<To, From>>(from, to, 2 * count);
}

/// Real parts; what is a truth, or is neither single nor double, has other rules or is rare.
template <class Real, class Complex>
ConvertLoop from_complex(DType to) {
    constexpr ConvertLoop real = convert_adjacent<Complex, Real, real_part<Real, Complex>>;
    constexpr bool is_single = std::is_same_v<Real, float>;
    switch (to) {
        case DType::f16: return by_way<Complex, Real, Half, real, between<Real, Half>()>;
        case DType::bf16: return by_way<Complex, Real, BFloat, real, between<Real, BFloat>()>;
        case DType::f32:
            if constexpr (is_single)
                return real;
            else
                return by_way<Complex, Real, float, real, between<Real, float>()>;
        case DType::f64:
            if constexpr (is_single)
                return by_way<Complex, Real, double, real, between<Real, double>()>;
            else
                return real;
        case DType::c64: return is_single ? nullptr : convert_parts<double, float>;
        case DType::c128: return is_single ? convert_parts<float, double> : nullptr;
        default: return nullptr;
    }
}

// Halves as integers in the same order: of negative ones the more, the less their bits.

/// @tparam infinity  the bits of it: what is beyond is a nan
template <std::uint16_t infinity, bool greatest, bool equal_zeros>
std::int16_t key_of(std::uint16_t bits) {
    std::int16_t const magnitude = static_cast<std::int16_t>(bits & 0x7fff);
    std::int16_t const sign = static_cast<std::int16_t>(static_cast<std::int16_t>(bits) >> 15);  // 0 or -1
    std::int16_t const key = static_cast<std::int16_t>((magnitude ^ sign) - (equal_zeros ? sign : 0));
    return magnitude > infinity ? static_cast<std::int16_t>(greatest ? 0x7fff : -0x8000) : key;
}
template <std::uint16_t infinity, std::uint16_t quiet>
std::uint16_t half_of(std::int16_t key) {
    std::uint16_t const bits = static_cast<std::uint16_t>(key ^ ((key >> 15) & 0x7fff));
    return (bits & 0x7fff) > infinity ? quiet : bits;
}

template <std::uint16_t infinity>
ConvertLoop keys(HalfKey const& key) {
    using From = std::uint16_t;
    using To = std::int16_t;
    if (key.equal_zeros)
        return key.greatest ? convert_adjacent<From, To, key_of<infinity, true, true>>
                            : convert_adjacent<From, To, key_of<infinity, false, true>>;
    return key.greatest ? convert_adjacent<From, To, key_of<infinity, true, false>>
                        : convert_adjacent<From, To, key_of<infinity, false, false>>;
}

constexpr std::uint16_t infinite_f16 = 0x7c00, infinite_bf16 = 0x7f80;

}  // namespace

ConvertLoop key_loop(HalfKey const& key) {
    return key.half == DType::f16 ? keys<infinite_f16>(key) : keys<infinite_bf16>(key);
}

ConvertLoop half_loop(HalfKey const& key) {
    return key.half == DType::f16 ? convert_adjacent<std::int16_t, std::uint16_t, half_of<infinite_f16, 0x7e00>>
                                  : convert_adjacent<std::int16_t, std::uint16_t, half_of<infinite_bf16, 0x7fc0>>;
}

ConvertLoop convert_loop(DType from, DType to) {
    switch (from) {
        case DType::boolean: return from_real<Truth>(to);
        case DType::u8: return from_real<std::uint8_t>(to);
        case DType::i8: return from_real<std::int8_t>(to);
        case DType::i16: return from_real<std::int16_t>(to);
        case DType::i32: return from_real<std::int32_t>(to);
        case DType::i64: return from_real<std::int64_t>(to);
        case DType::f16: return from_real<Half>(to);
        case DType::bf16: return from_real<BFloat>(to);
        case DType::f32: return from_real<float>(to);
        case DType::f64: return from_real<double>(to);
        case DType::c64: return from_complex<float, Complex64>(to);
        case DType::c128: return from_complex<double, Complex128>(to);
    }
    return nullptr;
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
