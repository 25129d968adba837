#include "lib/scalar/evaluate/noise.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using scalar::Noise;

namespace {
double const inf = std::numeric_limits<double>::infinity();
}

TEST_CASE("noise is at most half a unit in the last place, and another each time", "[scalar][noise]") {
    auto const [type, unit] = GENERATE(std::pair{DType::f16, 0x1p-10}, std::pair{DType::bf16, 0x1p-7},
                                       std::pair{DType::f32, 0x1p-23}, std::pair{DType::f64, 0x1p-52});
    Noise noise(7);
    std::set<double> seen;
    for (int i = 0; i < 100; ++i) {
        double const value = noise.rounded(-1.0 / 3, type);
        CHECK(std::fabs(value + 1.0 / 3) <= unit / 6 * 1.001 + 0x1p-53);
        seen.insert(value);
    }
    CHECK(seen.size() >= 3);
}

TEST_CASE("what was not rounded has no noise", "[scalar][noise]") {
    Noise noise(1);
    for (double value : {0.0, 1.0, -2.5, 0x1p20, inf, -inf}) {
        CHECK(noise.rounded(value, DType::f32) == value);
        CHECK(noise.rounded(value, DType::f64) == value);
    }
    CHECK(std::isnan(noise.rounded(std::nan(""), DType::f32)));
    CHECK(noise.rounded(1.0 + 0x1p-9, DType::f16) == 1.0 + 0x1p-9);
    CHECK(noise.rounded(1.0 + 0x1p-20, DType::f16) != 1.0 + 0x1p-20);
}

TEST_CASE("factors have noise where TF32 rounds them: in f32, beyond 11 significant bits", "[scalar][noise]") {
    Noise tf32(5, true), usual(5);
    double most = 0;
    for (int i = 0; i < 100; ++i) most = std::max(most, std::fabs(tf32.factor(-1.0 / 3, DType::f32) + 1.0 / 3));
    CHECK(most > 0x1p-14);
    CHECK(most <= 0x1p-11 / 3 * 1.001);
    for (double value : {0.0, 1.0 + 0x1p-10, -1023.0, inf}) CHECK(tf32.factor(value, DType::f32) == value);
    CHECK(tf32.factor(1.0 + 0x1p-11, DType::f32) != 1.0 + 0x1p-11);
    CHECK(tf32.factor(1.0 / 3, DType::f64) == 1.0 / 3);
    CHECK(usual.factor(1.0 / 3, DType::f32) == 1.0 / 3);
}

TEST_CASE("a complex product is nan where the products that make it up are out of range", "[scalar][noise]") {
    Noise noise(3);
    std::complex<double> const large(3e38, 3e38), close = noise.product({1.0 / 3, 2}, {5, 0.1}, DType::c64);
    CHECK(std::isnan(noise.product(large, large, DType::c64).real()));  // 9e76 - 9e76, which f32 has as inf - inf
    CHECK(noise.product(large, large, DType::c64).imag() == inf);
    CHECK(std::isfinite(noise.product(large, large, DType::c128).real()));
    CHECK(std::abs(close - std::complex<double>(5.0 / 3 - 0.2, 10 + 0.1 / 3)) < 1e-6);
    CHECK(close != std::complex<double>(1.0 / 3, 2) * std::complex<double>(5, 0.1));
}

TEST_CASE("what a type cannot hold becomes infinite or is lost", "[scalar][noise]") {
    Noise noise(1);
    CHECK(noise.rounded(1e39, DType::f32) == inf);
    CHECK(noise.rounded(-1e39, DType::bf16) == -inf);
    CHECK(noise.rounded(1e5, DType::f16) == inf);
    CHECK(std::isfinite(noise.rounded(1e39, DType::f64)));
    bool lost = false;
    for (int i = 0; i < 50; ++i) lost = lost || noise.rounded(1.1e-41, DType::f32) == 0;
    CHECK(lost);
}

TEST_CASE("both parts of a complex value are off by as much as the whole", "[scalar][noise]") {
    Noise noise(3);
    double most = 0;
    for (int i = 0; i < 100; ++i)
        most = std::max(most, std::fabs(noise.rounded({1e6 / 3, 1.0 / 3}, DType::c64).imag() - 1.0 / 3));
    CHECK(most > 1e-3);
    CHECK(most < 1e-1);
}

TEST_CASE("each operation of an expression that rounds has noise, the others have none", "[scalar][noise]") {
    auto const spread = [](char const* text) {
        Noise noise(5);
        scalar::Expr const expr = scalar::parse(text, {1, {}, {}}).expr;
        scalar::Evaluator exact(expr, DType::f32, DType::f32, {}), noisy(expr, DType::f32, DType::f32, {}, &noise);
        std::vector<scalar::Scalar> const x{scalar::Scalar::of(std::complex<double>(0.1f))};
        double most = 0;
        for (int i = 0; i < 30; ++i) most = std::max(most, std::abs(noisy(x, {}).number - exact(x, {}).number));
        return most;
    };
    CHECK(spread("(x + 1000) - 1000") > 1e-5);
    CHECK(spread("x / 3") > 0);
    CHECK(spread("x / 3") < 1e-8);
    CHECK(spread("max(-x, abs(x))") == 0);
    CHECK(spread("where(x > 0, x, 1)") == 0);
}

TEST_CASE("sums come out as other orders of adding up may leave them, a seed an outcome", "[scalar][noise]") {
    auto const outcome = [](std::uint64_t seed, double sum, double magnitude, DType type = DType::f32) {
        return Noise(seed).reordered(sum, sum, magnitude, type);
    };
    CHECK(outcome(0, 1e38, 9e38) == 1e38);
    CHECK(outcome(1, 1e38, 9e38) == inf);
    CHECK(outcome(2, 1e38, 9e38) == -inf);
    CHECK(std::isnan(outcome(3, 1e38, 9e38)));
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        CHECK(outcome(seed, 1e38, 6e38) == (seed == 1 ? inf : 1e38));  // 3.5e38 and -2.5e38
        CHECK(outcome(seed, 1e38, 2e38) == 1e38);
        CHECK(outcome(seed, 1e38, 9e38, DType::f64) == 1e38);
        CHECK(outcome(seed, -4e38, 4e38) == -inf);  // as a whole
    }
    // A sum that is out of range by itself, of terms that are so either way: 6e38 and -1e39.
    CHECK(outcome(0, -4e38, 16e38) == -inf);
    CHECK(outcome(1, -4e38, 16e38) == inf);
    CHECK(outcome(2, -4e38, 16e38) == -inf);
    CHECK(std::isnan(outcome(3, -4e38, 16e38)));
    CHECK(Noise(1).reordered({1, 1}, {1, 1}, 9e38, DType::c64) == std::complex<double>(inf, inf));
    CHECK(Noise(1).reordered({1, 0}, {1, 0}, 9e38, DType::f32) == std::complex<double>(inf, 0));
}

TEST_CASE("an infinite term leaves nan behind partial sums that were infinite the other way", "[scalar][noise]") {
    auto const outcome = [](std::uint64_t seed, std::vector<double> const& terms) {
        Noise noise(seed);
        scalar::NoisySum<double> sum(noise, DType::f32);
        for (double const term : terms) sum.add(term);
        return sum.value();
    };
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        CHECK(outcome(seed, {-inf, 1, 2}) == -inf);
        CHECK(outcome(seed, {inf, 3e38, 3e38}) == inf);
        CHECK(outcome(seed, {-inf, -3e38, -3e38, 3e38}) == -inf);
        CHECK(std::isnan(outcome(seed, {inf, 1, -inf})));
        CHECK(std::isnan(outcome(seed, {-inf, 3e38, 3e38, -3e38})) == (seed > 0));
        CHECK(std::isnan(outcome(seed, {inf, -3e38, -3e38})) == (seed > 0));
    }
}

TEST_CASE("a part of a complex number keeps its digits beside an infinite one", "[scalar][noise]") {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        Noise noise(seed);
        std::complex<double> const value(1.0 / 3, -inf);
        for (std::complex<double> const moved : {noise.partial(value, DType::c64), noise.rounded(value, DType::c64)}) {
            CHECK(std::fabs(moved.real() - 1.0 / 3) <= 0x1p-24);
            CHECK(moved.imag() == -inf);
        }
        CHECK(std::isnan(noise.partial({std::nan(""), 1.0 / 3}, DType::c64).real()));
        CHECK(std::isfinite(noise.partial({std::nan(""), 1.0 / 3}, DType::c64).imag()));
    }
}

TEST_CASE("a sum's noise is that of its terms, and partial sums may be out of range", "[scalar][noise]") {
    Noise noise(4);
    double most = 0;
    for (int i = 0; i < 100; ++i)
        most = std::max(most, std::fabs(noise.summed(1.0 / 3, 1.0 / 3, 1e6, DType::f32) - 1.0 / 3));
    CHECK(most > 0.01);
    CHECK(most <= 1e6 * 0x1p-24);
    CHECK(std::isfinite(noise.partial(1e39, DType::f32)));
    CHECK(noise.partial(1e39, DType::f32) != noise.partial(1e39, DType::f32));
}

TEST_CASE("products come out as other orders of multiplying may leave them, a seed an outcome", "[scalar][noise]") {
    auto const outcome = [](std::uint64_t seed, std::vector<double> const& factors, DType type = DType::f32) {
        Noise noise(seed);
        scalar::NoisyProduct product(noise, type);
        for (double const factor : factors) product.multiply(factor);
        return product.value().real();
    };
    std::vector<double> const with_zero = {-1e30, 1e30, 0}, both = {1e30, 1e30, -1e-30, 1e-30};
    CHECK(outcome(0, with_zero) == 0);
    CHECK(std::isnan(outcome(1, with_zero)));
    CHECK(outcome(2, with_zero) == 0);
    CHECK(std::isnan(outcome(3, with_zero)));
    CHECK(std::fabs(outcome(0, both) + 1) < 1e-6);
    CHECK(outcome(1, both) == -inf);
    CHECK(outcome(2, both) == 0);
    CHECK(std::isnan(outcome(3, both)));
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        CHECK(outcome(seed, with_zero, DType::f64) == 0);
        CHECK(std::fabs(outcome(seed, both, DType::f64) + 1) < 1e-14);
        CHECK(outcome(seed, {-2, 1e30, 1e30}) == -inf);  // as a whole
        CHECK(outcome(seed, {-2, inf}) == -inf);
        CHECK(std::isnan(outcome(seed, {0, inf})));
        CHECK(outcome(seed, {3, 0.5, -4}) == -6);
    }
}
