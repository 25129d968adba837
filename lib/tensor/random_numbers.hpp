// The numbers behind random.hpp, whose header has the formulas: Philox words by counter, numbers in [0, 1), and the
// logarithm and cosine of Box and Muller from plain arithmetic, so that every machine rounds alike.
// Example: unit(bits) of 2^63 is 0.5; cos_of_turn(0.25) is sin(0) = 0.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::tensor {

inline void philox_rounds(std::uint32_t& c0, std::uint32_t& c1, std::uint32_t& c2, std::uint32_t& c3,
                          std::uint64_t seed) {
    auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        std::uint64_t const p0 = std::uint64_t{0xD2511F53} * c0, p1 = std::uint64_t{0xCD9E8D57} * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c1 = static_cast<std::uint32_t>(p1);
        c3 = static_cast<std::uint32_t>(p0);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

inline constexpr std::size_t batch = 512;  // elements made at a time; even

/// The four words of philox(n, n >> 32, stream, 0) for n = first, first + 1, ...: words 0 and 1 in low, 2 and 3 in
/// high.
inline void draw(std::uint64_t seed, std::uint64_t first, std::uint32_t stream, std::size_t count, std::uint64_t* low,
                 std::uint64_t* high) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t const n = first + i;
        auto c0 = static_cast<std::uint32_t>(n), c1 = static_cast<std::uint32_t>(n >> 32);
        std::uint32_t c2 = stream, c3 = 0;
        philox_rounds(c0, c1, c2, c3, seed);
        low[i] = c0 | (std::uint64_t{c1} << 32);
        high[i] = c2 | (std::uint64_t{c3} << 32);
    }
}

/// bits(n) for n = first, ... `count` <= batch.
inline void draw_bits(std::uint64_t seed, Extent first, std::size_t count, std::uint64_t* bits) {
    std::array<std::uint64_t, batch / 2 + 1> low, high;
    auto const begin = static_cast<std::uint64_t>(first);
    std::uint64_t const block = begin / 2;
    draw(seed, block, 0, static_cast<std::size_t>((begin + count + 1) / 2 - block), low.data(), high.data());
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t const at = static_cast<std::size_t>((begin + i) / 2 - block);
        bits[i] = (begin + i) % 2 == 0 ? low[at] : high[at];
    }
}

/// A number of 53 bits as a double: exact, and without the slow conversion from 64-bit integers.
inline double to_double(std::uint64_t bits53) {
    double const high = static_cast<double>(static_cast<std::int32_t>(bits53 >> 32));
    double const low = std::bit_cast<double>((bits53 & 0xffffffffu) | 0x4330000000000000u) - 0x1p52;
    return high * 0x1p32 + low;
}

inline double unit(std::uint64_t bits) { return to_double(bits >> 11) * 0x1p-53; }

/// log u for u in (0, 1]: u = 2^e m with m in [sqrt(1/2), sqrt 2), log m = 2 atanh(s) with s = (m - 1) / (m + 1), as
/// the sum of s^(2k) / (2k + 1) for k = 11 down to 0 (Horner) times 2s. Within 2 ulp, but near 1, where the error is
/// 2^-53 absolute.
inline double log_of(double u) {
    std::uint64_t const bits = std::bit_cast<std::uint64_t>(u);
    std::uint64_t const shifted =
        bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);  // so that the exponent field steps at sqrt 2
    auto const exponent = static_cast<std::int32_t>(shifted >> 52) - 1023;
    double const m = std::bit_cast<double>((shifted & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    double const s = (m - 1.0) / (m + 1.0);
    double const z = s * s;
    double sum = 1.0 / 23;
    for (int k = 10; k >= 0; --k) sum = sum * z + 1.0 / (2 * k + 1);
    return 2.0 * s * sum + exponent * 0.693147180559945309417232;
}

/// (-1)^k / (2k + odd)! for k = 0, 1, ...: the factorials are exact, so each is rounded once.
template <std::size_t Terms>
constexpr std::array<double, Terms> taylor_series(int odd) {
    std::array<double, Terms> out{};
    double factorial = 1, sign = 1;
    for (std::size_t k = 0; k < Terms; ++k, sign = -sign) {
        int const n = 2 * static_cast<int>(k) + odd;
        if (n > 1) factorial *= n * (n - 1);
        out[k] = sign / factorial;
    }
    return out;
}

/// cos(2 pi v) for v in [0, 1): q = floor(4 v + 1/2), x = 2 pi (v - q / 4), then the Taylor series of cos x to x^18, or
/// that of sin(x) / x to x^16 times x (in x^2, Horner from the highest term), by q mod 4: cos x, -sin x, -cos x, sin x.
inline double cos_of_turn(double v) {
    constexpr auto cosine_terms = taylor_series<10>(0);
    constexpr auto sine_terms = taylor_series<9>(1);
    auto const q = static_cast<std::int32_t>(4.0 * v + 0.5);
    double const x = (v - 0.25 * q) * 6.28318530717958647692529;
    double const z = x * x;
    double cosine = cosine_terms[9], sine = sine_terms[8];
    for (std::size_t k = 9; k-- > 0;) cosine = cosine * z + cosine_terms[k];
    for (std::size_t k = 8; k-- > 0;) sine = sine * z + sine_terms[k];
    sine *= x;
    double const value = (q & 1) != 0 ? sine : cosine;
    return ((q + 1) & 2) != 0 ? -value : value;
}

}  // namespace ein::tensor
