// One element from one dtype to another, as NumPy's astype has it: the rules behind convert.hpp. Written without
// branches so that loops over them vectorise; loads and stores go through memcpy, so bytes need no alignment.
// Example: cast<std::int8_t>(300.0) is 44 (wrapped), cast<std::int8_t>(nan) is 0, cast<double>(Half(0.5f)) is 0.5.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "lib/base/dtype.hpp"
#include "lib/base/error.hpp"
#include "lib/base/float16.hpp"

namespace ein::tensor {

/// A stored bool: any byte but 0 counts as true; we write 0 or 1.
struct BoolByte {
    std::uint8_t byte = 0;
};

template <class T>
struct is_complex_type : std::false_type {};
template <class T>
struct is_complex_type<std::complex<T>> : std::true_type {};
template <class T>
inline constexpr bool is_half_type = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <class T>
void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof(T));
}

/// f32 to f16 bits: all three cases are computed and one is chosen.
inline std::uint16_t half_bits(float value) {
    std::uint32_t const f = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const sign = (f >> 16) & 0x8000u;
    std::uint32_t const magnitude = f & 0x7fffffffu;
    std::uint32_t const normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    float const small =
        std::bit_cast<float>(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;  // the add rounds to 2^-24
    std::uint32_t const subnormal = std::bit_cast<std::uint32_t>(small) - 0x3f000000u;
    std::uint32_t const special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    std::uint32_t const finite = magnitude < 0x38800000u ? subnormal : normal;
    return static_cast<std::uint16_t>(sign | (magnitude >= 0x477ff000u ? special : finite));
}

/// f16 bits to f32, nans quiet; right also where the processor flushes subnormals.
inline float half_value(std::uint16_t bits) {
    std::uint32_t const sign = (bits & 0x8000u) << 16;
    std::uint32_t const rest = bits & 0x7fffu;
    std::uint32_t const normal =
        (rest << 13) + (rest >= 0x7c00u ? 0x70000000u : 0x38000000u);  // inf and nan: exponent 255
    std::uint32_t const quiet = rest > 0x7c00u ? 0x400000u : 0u;
    std::uint32_t const subnormal =
        std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(rest)) * 0x1p-24f);
    return std::bit_cast<float>(sign | quiet | (rest < 0x0400u ? subnormal : normal));
}

inline std::uint16_t bfloat_bits(float value) {
    std::uint32_t const f = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const rounded = (f + 0x7fffu + ((f >> 16) & 1u)) >> 16;
    return static_cast<std::uint16_t>((f & 0x7fffffffu) > 0x7f800000u ? (f >> 16) | 0x40u : rounded);
}

/// Rounds once, whatever it comes from.
template <class To, class From>
To to_half(From value) {
    float rounded = 0;
    if constexpr (std::is_same_v<From, double>)
        rounded = round_to_odd(value);
    else if constexpr (std::is_integral_v<From> && sizeof(From) >= sizeof(float))
        rounded = round_to_odd(std::int64_t{value});
    else
        rounded = static_cast<float>(value);
    To out;
    if constexpr (std::is_same_v<To, Half>)
        out.bits = half_bits(rounded);
    else
        out.bits = bfloat_bits(rounded);
    return out;
}

/// Real to integer toward zero, by way of i64, whose low bits are kept: nan and what i64 cannot hold give 0.
template <class To, class From>
To real_to_integer(From value) {
    bool const fits = value >= From{-0x1p63} && value < From{0x1p63};
    return static_cast<To>(static_cast<std::int64_t>(fits ? value : From{0}));
}

/// The rules of convert.hpp for one element.
template <class To, class From>
To cast(From value) {
    if constexpr (std::is_same_v<From, To>)
        return value;
    else if constexpr (std::is_same_v<From, BoolByte>)
        return cast<To>(static_cast<std::uint8_t>(value.byte != 0));
    else if constexpr (std::is_same_v<From, Half>)
        return cast<To>(half_value(value.bits));
    else if constexpr (std::is_same_v<From, BFloat16>)
        return cast<To>(static_cast<float>(value));
    else if constexpr (std::is_same_v<To, BoolByte>)
        return {static_cast<std::uint8_t>(value != From{} ? 1 : 0)};
    else if constexpr (is_complex_type<To>::value && is_complex_type<From>::value)
        return {cast<typename To::value_type>(value.real()), cast<typename To::value_type>(value.imag())};
    else if constexpr (is_complex_type<From>::value)
        return cast<To>(value.real());
    else if constexpr (is_complex_type<To>::value)
        return {cast<typename To::value_type>(value), 0};
    else if constexpr (is_half_type<To>)
        return to_half<To>(value);
    else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return real_to_integer<To>(value);
    else
        return static_cast<To>(value);
}

/// Calls visit with a value of the C++ type that stores `type`.
template <class Visit>
decltype(auto) with_type(DType type, Visit&& visit) {
    switch (type) {
        case DType::f16: return visit(Half{});
        case DType::bf16: return visit(BFloat16{});
        case DType::f32: return visit(float{});
        case DType::f64: return visit(double{});
        case DType::c64: return visit(std::complex<float>{});
        case DType::c128: return visit(std::complex<double>{});
        case DType::i8: return visit(std::int8_t{});
        case DType::i16: return visit(std::int16_t{});
        case DType::i32: return visit(std::int32_t{});
        case DType::i64: return visit(std::int64_t{});
        case DType::u8: return visit(std::uint8_t{});
        case DType::boolean: return visit(BoolByte{});
    }
    throw InternalError("unknown dtype");
}

}  // namespace ein::tensor
