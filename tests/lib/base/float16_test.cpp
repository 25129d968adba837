#include "lib/base/float16.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ein;

namespace {

/// A binary format by its definition: what a pattern means, in double arithmetic, which holds f16 and bf16 exactly.
struct Format {
    int exponent_bits, fraction_bits;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    unsigned infinity() const { return ((1u << exponent_bits) - 1) << fraction_bits; }
    double value(unsigned pattern) const {
        double const sign = pattern >> 15 ? -1.0 : 1.0;
        int const exponent = static_cast<int>((pattern & 0x7fffu) >> fraction_bits);
        double const fraction = std::ldexp(static_cast<double>(pattern & ((1u << fraction_bits) - 1)), -fraction_bits);
        if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? sign * INFINITY : NAN;
        if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias());
        return sign * std::ldexp(1 + fraction, exponent - bias());
    }
    /// The pattern nearest to a value, ties to an even pattern: found by looking at its two neighbours.
    unsigned nearest(double value) const {
        unsigned const sign = std::signbit(value) ? 0x8000u : 0u;
        double const magnitude = std::fabs(value);
        unsigned below = 0, above = infinity();  // bisect: value(below) <= magnitude < value(above)
        while (above - below > 1) {
            unsigned const middle = (below + above) / 2;
            (this->value(middle) <= magnitude ? below : above) = middle;
        }
        // Rounding to infinity begins half a step above the largest number, as if the format went on.
        double const upper = above == infinity() ? std::ldexp(1.0, bias() + 1) : this->value(above);
        double const down = magnitude - this->value(below), up = upper - magnitude;
        bool const take_above = up < down || (up == down && above % 2 == 0);
        return sign | (take_above ? above : below);
    }
};

constexpr Format half_format{5, 10};
constexpr Format bfloat_format{8, 7};

template <class Type>
Type from_bits(unsigned pattern) {
    Type value;
    value.bits = static_cast<std::uint16_t>(pattern);
    return value;
}

/// How many of all patterns convert to another float than their definition says, or not back to themselves.
template <class Type>
int wrong_patterns(Format const& format) {
    int wrong = 0;
    for (unsigned pattern = 0; pattern < 0x10000u; ++pattern) {
        float const value = from_bits<Type>(pattern);
        double const expected = format.value(pattern);
        if (std::isnan(expected)) {
            wrong += !std::isnan(value) || !std::isnan(static_cast<float>(Type(value)));
        } else {
            wrong += static_cast<double>(value) != expected || std::signbit(value) != std::signbit(expected);
            wrong += Type(value).bits != pattern;
        }
    }
    return wrong;
}

/// Floats where rounding decides: every representable value, every midpoint of two, and the floats just beside them.
std::vector<float> rounding_cases(Format const& format) {
    std::vector<float> cases;
    for (unsigned pattern = 0; pattern < format.infinity(); ++pattern) {
        double const low = format.value(pattern);
        double const high =
            pattern + 1 == format.infinity() ? std::ldexp(1.0, format.bias() + 1) : format.value(pattern + 1);
        for (double number : {low, (low + high) / 2}) {
            float const middle =
                static_cast<float>(number);  // exact but for bf16's subnormals' midpoints, which f32 also holds
            cases.insert(cases.end(), {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, INFINITY)});
        }
    }
    return cases;
}

template <class Type>
int wrong_roundings(Format const& format) {
    int wrong = 0;
    for (float value : rounding_cases(format)) {
        if (std::isinf(value)) continue;
        wrong += Type(value).bits != format.nearest(value);
        wrong += Type(-value).bits != format.nearest(-value);
    }
    return wrong;
}

}  // namespace

TEST_CASE("all 65536 patterns of f16 mean what IEEE says and survive the way there and back", "[lib][base][float16]") {
    CHECK(wrong_patterns<Half>(half_format) == 0);
}

TEST_CASE("all 65536 patterns of bf16 mean what they should and survive the way there and back",
          "[lib][base][float16]") {
    CHECK(wrong_patterns<BFloat16>(bfloat_format) == 0);
}

TEST_CASE("f32 rounds to the nearest f16, ties to even", "[lib][base][float16]") {
    CHECK(wrong_roundings<Half>(half_format) == 0);
    CHECK(Half(65504.0f).bits == 0x7bff);  // the largest
    CHECK(Half(65519.996f).bits == 0x7bff);
    CHECK(Half(65520.0f).bits == 0x7c00);  // half a step more is infinity
    CHECK(Half(0x1p-24f).bits == 0x0001);  // the smallest
    CHECK(Half(0x1p-25f).bits == 0x0000);  // halfway to it: even
    CHECK(Half(std::nextafter(0x1p-25f, 1.0f)).bits == 0x0001);
    CHECK(Half(std::numeric_limits<float>::max()).bits == 0x7c00);
    CHECK(Half(-0.0f).bits == 0x8000);
}

TEST_CASE("f32 rounds to the nearest bf16, ties to even", "[lib][base][float16]") {
    CHECK(wrong_roundings<BFloat16>(bfloat_format) == 0);
    CHECK(BFloat16(1.00390625f).bits == 0x3f80);  // 1 + 2^-8: a tie, to even
    CHECK(BFloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
    CHECK(BFloat16(-0.0f).bits == 0x8000);
}

TEST_CASE("infinities and nan stay what they are, with their sign", "[lib][base][float16]") {
    CHECK(static_cast<float>(Half(INFINITY)) == INFINITY);
    CHECK(static_cast<float>(Half(-INFINITY)) == -INFINITY);
    CHECK(static_cast<float>(BFloat16(-INFINITY)) == -INFINITY);
    for (std::uint32_t pattern : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffc00000u}) {
        float const nan = std::bit_cast<float>(pattern);
        CHECK(std::isnan(static_cast<float>(Half(nan))));
        CHECK(std::isnan(static_cast<float>(BFloat16(nan))));
        CHECK((Half(nan).bits >> 15) == (pattern >> 31));
        CHECK((BFloat16(nan).bits >> 15) == (pattern >> 31));
    }
}

namespace {

/// How often what lies just beside the middle of two neighbours does not round to the nearer one.
template <class H>
int wrong_beside_middles() {
    int wrong = 0;
    for (std::uint32_t bits = 1; bits + 1 < 0x7c00; bits += 7)
        for (std::uint32_t const sign : {0u, 0x8000u}) {
            H low, high;
            low.bits = static_cast<std::uint16_t>(bits | sign);
            high.bits = static_cast<std::uint16_t>((bits + 1) | sign);
            double const below = static_cast<float>(low), above = static_cast<float>(high);
            double const middle = (below + above) / 2, less = middle * (1 - 0x1p-50), more = middle * (1 + 0x1p-50);
            wrong += H(round_to_odd(less)).bits != low.bits;
            wrong += H(round_to_odd(more)).bits != high.bits;
            wrong += H(round_to_odd(middle)).bits != ((bits & 1) == 0 ? low : high).bits;
        }
    return wrong;
}

}  // namespace

TEST_CASE("f64 rounds once to f16 and bf16", "[lib][base][float16]") {
    CHECK(wrong_beside_middles<Half>() == 0);
    CHECK(wrong_beside_middles<BFloat16>() == 0);
    CHECK(Half(static_cast<float>(1 + 0x1p-11 + 0x1p-40)).bits == 0x3c00);  // as it must not be done
    for (double const value : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1.0, 65504.0, 0x1p-24, 0x1p-1074, 1e300}) {
        CAPTURE(value);
        bool const large = std::fabs(value) > 65504;
        double const expected = large ? std::copysign(HUGE_VAL, value) : std::fabs(value) < 0x1p-25 ? 0 * value : value;
        CHECK(static_cast<float>(Half(round_to_odd(value))) == expected);
        CHECK(std::signbit(static_cast<float>(Half(round_to_odd(value)))) == std::signbit(value));
    }
    CHECK(std::isnan(static_cast<float>(Half(round_to_odd(std::nan(""))))));
}

TEST_CASE("integers of 64 bits round once to f16 and bf16", "[lib][base][float16]") {
    for (std::int64_t const unit : {std::int64_t{1} << 17, std::int64_t{1} << 30, std::int64_t{1} << 54})  // of bf16
        for (std::int64_t const sign : {1, -1}) {
            std::int64_t const tie = sign * (128 * unit + unit / 2);
            auto const even = static_cast<float>(sign * 128 * unit), odd = static_cast<float>(sign * 129 * unit);
            CAPTURE(tie);
            CHECK(static_cast<float>(BFloat16(round_to_odd(tie))) == even);
            CHECK(static_cast<float>(BFloat16(round_to_odd(tie + sign))) == odd);
            CHECK(static_cast<float>(BFloat16(round_to_odd(tie - sign))) == even);
        }
    CHECK(static_cast<float>(BFloat16(round_to_odd(std::numeric_limits<std::int64_t>::max()))) == 0x1p63f);
    CHECK(static_cast<float>(BFloat16(round_to_odd(std::numeric_limits<std::int64_t>::min()))) == -0x1p63f);
    CHECK(Half(round_to_odd(std::int64_t{65519})).bits == 0x7bff);
    CHECK(Half(round_to_odd(std::int64_t{65520})).bits == 0x7c00);
    CHECK(round_to_odd(std::int64_t{0}) == 0);
}
