// The bit patterns of f16 (IEEE binary16) and bf16 as types that convert to and from float, rounding to nearest even.
// Arithmetic is done in float. What is wider than float goes through round_to_odd, so that it is rounded once.
// Example: Half(round_to_odd(1 + 0x1p-11 + 0x1p-40)) is 1 + 2^-10; by way of the nearest float it would be 1.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ein {

/// f64 to f32 so that rounding the result once more, to f16 or bf16, is as rounding once: inexact results get an odd
/// last bit. Source: Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, IEEE TC 57(4), 2008.
inline float round_to_odd(double value) {
    float const nearest = static_cast<float>(value);
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(nearest);
    double const difference = std::fabs(value) - std::fabs(static_cast<double>(nearest));
    std::uint32_t const step = difference > 0 ? 1u : difference < 0 ? ~0u : 0u;  // nan and inf: none
    return std::bit_cast<float>((bits & 1u) != 0 ? bits : bits + step);
}

/// The same of an integer, of which f64 does not hold all: where it has more than 53 digits the last eleven, if any is
/// set, become one odd digit before them.
inline float round_to_odd(std::int64_t value) {
    bool const held = value > -(std::int64_t{1} << 53) && value < (std::int64_t{1} << 53);
    std::int64_t const lost = 0x7ff, odd = (((value & lost) + lost) | value) & ~lost;
    return round_to_odd(static_cast<double>(held ? value : odd));
}

struct Half {
    std::uint16_t bits = 0;
    Half() = default;
    explicit Half(float value) : bits(from_float(value)) {}
    operator float() const { return to_float(bits); }

private:
    static std::uint16_t from_float(float value) {
        std::uint32_t const f = std::bit_cast<std::uint32_t>(value);
        std::uint32_t const sign = (f >> 16) & 0x8000u;
        std::uint32_t const magnitude = f & 0x7fffffffu;
        if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // nan
        if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds to inf
        if (magnitude < 0x38800000u) {                                                    // subnormal or zero
            float const scaled = std::bit_cast<float>(magnitude) + 0.5f;  // 2^-24 units, rounded by the add
            return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(scaled) - 0x3f000000u));
        }
        std::uint32_t const rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
        return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
    }
    static float to_float(std::uint16_t h) {
        std::uint32_t const sign = (h & 0x8000u) << 16;
        std::uint32_t const rest = h & 0x7fffu;
        if (rest > 0x7c00u) return std::bit_cast<float>(sign | 0x7fc00000u | ((rest & 0x3ffu) << 13));  // a quiet nan
        if (rest == 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u);
        if (rest >= 0x0400u) return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000u));
        float const magnitude = static_cast<float>(rest) * 0x1p-24f;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
};

struct BFloat16 {
    std::uint16_t bits = 0;
    BFloat16() = default;
    explicit BFloat16(float value) : bits(from_float(value)) {}
    operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

private:
    static std::uint16_t from_float(float value) {
        std::uint32_t const f = std::bit_cast<std::uint32_t>(value);
        if ((f & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((f >> 16) | 0x40u);  // nan stays nan
        return static_cast<std::uint16_t>((f + 0x7fffu + ((f >> 16) & 1u)) >> 16);
    }
};

}  // namespace ein
