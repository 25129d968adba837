// The conversions of vector tiles for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each,
// in a namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake). Of headers nothing is called in here but
// types.
#include <cstdint>
#include <type_traits>

#include "executor/device/cpu/loops/tile_convert.hpp"

#ifndef EIN_INSTRUCTION_SET
#define EIN_INSTRUCTION_SET baseline  // for tools that read this file by itself
#endif

namespace ein::executor::EIN_INSTRUCTION_SET {

// The halves' bit patterns, with the rounding of lib/tensor: every case is computed and one is chosen, so that loops
// vectorise.

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

float from_half(std::uint16_t half) {
    std::uint32_t const sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
    std::uint32_t const finite = as_bits(as_float(rest << 13) * 0x1p112f);  // exact; makes subnormals normal
    return as_float(sign | (rest >= 0x7c00u ? 0x7f800000u | (rest << 13) : finite));
}
std::uint16_t to_half(float value) {
    std::uint32_t const bits = as_bits(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    std::uint32_t const normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    float const small = as_float(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;  // the add rounds to 2^-24
    std::uint32_t const finite = magnitude < 0x38800000u ? as_bits(small) - 0x3f000000u : normal;
    std::uint32_t const special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return static_cast<std::uint16_t>(sign | (magnitude >= 0x477ff000u ? special : finite));
}
float from_bfloat(std::uint16_t bfloat) { return as_float(static_cast<std::uint32_t>(bfloat) << 16); }
std::uint16_t to_bfloat(float value) {
    std::uint32_t const bits = as_bits(value), rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded);
}

template <class From, class To, To (*convert)(From)>
void convert_adjacent(void const* __restrict from, void* __restrict to, std::size_t count) {
    auto const* const source = static_cast<From const*>(from);
    auto* const target = static_cast<To*>(to);
    for (std::size_t i = 0; i < count; ++i) target[i] = convert(source[i]);
}

template <class From, class To>
To plain(From value) {
    return static_cast<To>(value);
}
template <class To>
To from_boolean(std::uint8_t byte) {
    return static_cast<To>(byte != 0);
}

/// Truncated to an i64, of which the low bits stay; 0 for nan and what no i64 holds.
template <class From, class To>
To whole(From value) {
    bool const fits = (value >= From(-0x1p63)) & (value < From(0x1p63));
    return static_cast<To>(fits ? static_cast<std::int64_t>(value) : 0);
}
template <class From>
std::uint8_t truth(From value) {
    return value != From(0);
}

struct Complex64 {
    float re, im;
};
struct Complex128 {
    double re, im;
};
template <class From, class To>
To real_part(From value) {
    return value.re;
}
template <class From, class To>
To with_zero(From value) {
    return {value, 0};
}

/// From an integer that widens, wraps or becomes a real number; from a real number that is truncated.
template <class From, class To>
constexpr ConvertLoop between() {
    constexpr bool truncates = std::is_floating_point_v<From> && std::is_integral_v<To>;
    if constexpr (std::is_same_v<From, To>)
        return nullptr;
    else
        return convert_adjacent < From, To, truncates ? whole<From, To> : plain < From, To >> ;
}

template <class From>
ConvertLoop from_number(DType to) {
    switch (to) {
        case DType::boolean: return convert_adjacent<From, std::uint8_t, truth<From>>;
        case DType::u8: return between<From, std::uint8_t>();
        case DType::i8: return between<From, std::int8_t>();
        case DType::i16: return between<From, std::int16_t>();
        case DType::i32: return between<From, std::int32_t>();
        case DType::i64: return between<From, std::int64_t>();
        case DType::f32: return between<From, float>();
        case DType::f64: return between<From, double>();
        default: return nullptr;
    }
}

ConvertLoop from_truth(DType to) {
    switch (to) {
        case DType::u8: return convert_adjacent<std::uint8_t, std::uint8_t, from_boolean<std::uint8_t>>;
        case DType::i8: return convert_adjacent<std::uint8_t, std::int8_t, from_boolean<std::int8_t>>;
        case DType::i16: return convert_adjacent<std::uint8_t, std::int16_t, from_boolean<std::int16_t>>;
        case DType::i32: return convert_adjacent<std::uint8_t, std::int32_t, from_boolean<std::int32_t>>;
        case DType::i64: return convert_adjacent<std::uint8_t, std::int64_t, from_boolean<std::int64_t>>;
        case DType::f32: return convert_adjacent<std::uint8_t, float, from_boolean<float>>;
        case DType::f64: return convert_adjacent<std::uint8_t, double, from_boolean<double>>;
        default: return nullptr;
    }
}

}  // namespace

ConvertLoop convert_loop(DType from, DType to) {
    if (from == DType::f16 && to == DType::f32) return convert_adjacent<std::uint16_t, float, from_half>;
    if (from == DType::f32 && to == DType::f16) return convert_adjacent<float, std::uint16_t, to_half>;
    if (from == DType::bf16 && to == DType::f32) return convert_adjacent<std::uint16_t, float, from_bfloat>;
    if (from == DType::f32 && to == DType::bf16) return convert_adjacent<float, std::uint16_t, to_bfloat>;
    if (from == DType::f32 && to == DType::c64) return convert_adjacent<float, Complex64, with_zero<float, Complex64>>;
    if (from == DType::c64 && to == DType::f32) return convert_adjacent<Complex64, float, real_part<Complex64, float>>;
    if (from == DType::f64 && to == DType::c128)
        return convert_adjacent<double, Complex128, with_zero<double, Complex128>>;
    if (from == DType::c128 && to == DType::f64)
        return convert_adjacent<Complex128, double, real_part<Complex128, double>>;
    switch (from) {
        case DType::boolean: return from_truth(to);
        case DType::u8: return from_number<std::uint8_t>(to);
        case DType::i8: return from_number<std::int8_t>(to);
        case DType::i16: return from_number<std::int16_t>(to);
        case DType::i32: return from_number<std::int32_t>(to);
        case DType::i64: return from_number<std::int64_t>(to);
        case DType::f32: return from_number<float>(to);
        case DType::f64: return from_number<double>(to);
        default: return nullptr;
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
