// The bit patterns of f16 (IEEE binary16) and bf16 as types that convert to and from float, rounding to nearest even.
// Arithmetic is done in float.
#pragma once

#include <bit>
#include <cstdint>

namespace ein {

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
        if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
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
