// The vector functions beside their values in the widest type.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "lib/base/float16.hpp"
#include "lib/scalar/evaluate/functions.hpp"
#include "lib/scalar/kernels/kernels.hpp"
#include "lib/scalar/operations/plain_math.hpp"
#include "tests/lib/scalar/wide_functions.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

/// In units of the last place. The quotient and the power of gelu's tail round a dozen times.
double most_units(Op op) { return op == Op::gelu ? 5 : 3.2; }

template <class T>
std::vector<T> special_arguments() {
    using L = std::numeric_limits<T>;
    std::vector<T> list{0,
                        1,
                        T(0.5),
                        2,
                        T(0.34657),
                        T(0.34658),
                        L::min(),
                        L::denorm_min(),
                        L::max(),
                        L::infinity(),
                        L::epsilon(),
                        3 * L::denorm_min(),
                        L::min() - L::denorm_min(),
                        T(1) + L::epsilon(),
                        T(1) - L::epsilon(),
                        T(0.70710678118654752),
                        T(87.33655),
                        T(88.72283),
                        T(88.72284),
                        T(103.27893),
                        T(103.97208),
                        T(709.782712893384),
                        T(708.3964185322641),
                        T(709.7827128933841),
                        T(744.4400719213812),
                        T(745.1332191019411),
                        T(745.1332191019412),
                        T(745.2),
                        1024,
                        1075,
                        127,
                        128,
                        149,
                        150,
                        T(16777217),
                        T(1e10)};
    std::size_t const half = list.size();
    for (std::size_t k = 0; k < half; ++k) list.push_back(-list[k]);
    list.push_back(L::quiet_NaN());
    return list;
}

template <class T>
std::vector<T> results_of(Op op, std::vector<T> const& arguments) {
    DType const type = sizeof(T) == 4 ? DType::f32 : DType::f64;
    UnaryKernel const kernel = kernels().unary[static_cast<int>(op)][register_number(type)];
    REQUIRE(kernel != nullptr);
    std::vector<T> results(arguments.size());
    kernel(results.data(), arguments.data(), arguments.size());
    return results;
}

template <class T>
void check_function(WideFunction const& function, std::vector<T> const& arguments) {
    std::vector<T> const results = results_of(function.op, arguments);
    double most = 0;
    T where = 0, found = 0;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        double const off = wide::units_off(results[k], function.exact(arguments[k]));
        if (off > most) most = off, where = arguments[k], found = results[k];
    }
    CAPTURE(function.name(), where, found);
    CHECK(most <= most_units(function.op));
}

template <class T>
void check_functions() {
    std::mt19937_64 random(3);
    for (WideFunction const& function : wide_functions(sizeof(T) == 8)) {
        check_function(function, arguments_of<T>(function, 20000, random));
        check_function(function, special_arguments<T>());
    }
}

/// Numbers of all sizes and signs, special ones among them.
template <class T>
std::vector<T> numbers_of_all_sizes(std::size_t count, int digits, std::mt19937_64& random) {
    std::vector<T> const special = special_arguments<T>();
    std::vector<T> list;
    for (std::size_t k = 0; k < count; ++k) {
        T const x = std::uniform_real_distribution<T>(-1, 1)(random);
        int const power = static_cast<int>(random() % static_cast<unsigned>(2 * digits)) - digits;
        list.push_back(k % 7 == 0 ? special[random() % special.size()] : std::ldexp(x, power));
    }
    return list;
}

template <class T>
void check_operator(Op op, wide::Real (*exact)(wide::Real, wide::Real), std::vector<T> const& a,
                    std::vector<T> const& b) {
    DType const type = sizeof(T) == 4 ? DType::f32 : DType::f64;
    std::vector<T> results(a.size());
    kernels().binary[static_cast<int>(op)][register_number(type)].vv(results.data(), a.data(), b.data(), a.size());
    double most = 0;
    std::size_t where = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        double const off = wide::units_off(results[k], exact(a[k], b[k]));
        if (off > most) most = off, where = k;
    }
    CAPTURE(std::string(info(op).name), a[where], b[where], results[where]);
    CHECK(most <= most_units(op));
}

template <class T>
void check_operators() {
    std::mt19937_64 random(6);
    constexpr std::size_t count = 100000;
    for (int const digits : {2, 12, 100}) {
        auto a = numbers_of_all_sizes<T>(count, digits, random), b = numbers_of_all_sizes<T>(count, digits, random);
        check_operator<T>(Op::atan2, wide::atan2, a, b);
        check_operator<T>(Op::pow, wide::pow, a, b);
        for (T& x : a) x = std::fabs(x);
        check_operator<T>(Op::pow, wide::pow, a, b);
        for (T& y : b) y = std::nearbyint(y * 10) / 2;  // whole and half exponents
        for (T& x : a) x = T(1) + x / 64;
        check_operator<T>(Op::pow, wide::pow, a, b);
    }
}

/// Of every f16 or bf16: computed in f32 and rounded, as joins of it are. What f32 errs by is a thousandth of its
/// units.
template <class H>
void check_every(int digits) {
    for (WideFunction const& function : wide_functions(false)) {
        std::vector<float> arguments;
        for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
            H half;
            half.bits = static_cast<std::uint16_t>(bits);
            if (std::isfinite(static_cast<float>(half))) arguments.push_back(half);
        }
        std::vector<float> const results = results_of(function.op, arguments);
        double most = 0;
        float where = 0;
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            double const exact = real_function(function.op, static_cast<double>(arguments[k]));
            auto const found = static_cast<double>(static_cast<float>(H(results[k])));
            if (!std::isfinite(exact) || !std::isfinite(found)) continue;
            double const least = digits == 11 ? 0x1p-14 : 0x1p-126;
            double const unit = std::ldexp(1.0, std::ilogb(std::max(std::fabs(exact), least)) - digits + 1);
            double const off = std::fabs(found - exact) / unit;
            if (off > most) most = off, where = arguments[k];
        }
        CAPTURE(function.name(), where);
        CHECK(most <= 0.5 + 0x1p-10);
    }
}

/// Parts of the function in the widest type.
struct WideParts {
    wide::Real re, im;
};
WideParts exact_complex(Op op, wide::Real re, wide::Real im) {
    wide::Real const a = wide::fabs(re), b = wide::fabs(im), larger = a > b ? a : b, smaller = a > b ? b : a;
    if (op == Op::exp) return {wide::exp(re) * wide::cos(im), wide::exp(re) * wide::sin(im)};
    if (op == Op::log) return {wide::log1p((larger - 1) * (larger + 1) + smaller * smaller) / 2, wide::atan2(im, re)};
    wide::Real const t = wide::sqrt((wide::sqrt(re * re + im * im) + a) / 2), other = t == 0 ? t : b / (2 * t);
    wide::Real const down = re < 0 ? t : other;
    return {re < 0 ? other : t, im < 0 ? -down : down};
}

/// Of arguments among which some are not moderate, so that tiles take both ways.
template <class T>
void check_complex(Op op, double most_units) {
    using Number = std::complex<T>;
    std::mt19937_64 random(8);
    std::uniform_real_distribution<T> part(-1, 1);
    std::vector<Number> arguments;
    for (int k = 0; k < 50000; ++k) {
        T const re = part(random), im = part(random), of_unit = 1 / std::hypot(re, im);
        int const power = op == Op::exp ? static_cast<int>(random() % 6) : static_cast<int>(random() % 40) - 20;
        arguments.push_back(k % 3 == 0 && op == Op::log ? Number(re * of_unit, im * of_unit)
                                                        : Number(std::ldexp(re, power), std::ldexp(im, power)));
    }
    for (std::size_t k = 0; k < arguments.size(); k += 1500) arguments[k] = {T(0.5), T(3e8)};
    std::vector<Number> results(arguments.size());
    DType const type = sizeof(T) == 4 ? DType::c64 : DType::c128;
    kernels().unary[static_cast<int>(op)][register_number(type)](results.data(), arguments.data(), arguments.size());
    double most = 0;
    Number where, found;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        WideParts const exact = exact_complex(op, arguments[k].real(), arguments[k].imag());
        double const off =
            std::max(wide::units_off(results[k].real(), exact.re), wide::units_off(results[k].imag(), exact.im));
        if (off > most) most = off, where = arguments[k], found = results[k];
    }
    CAPTURE(std::string(info(op).name), where, found);
    CHECK(most <= most_units);
}

}  // namespace

TEST_CASE("functions of complex numbers err by few units in the last place of each part", "[lib][scalar][kernels]") {
    for (Op const op : {Op::exp, Op::log, Op::sqrt}) {
        check_complex<float>(op, 0.51);
        check_complex<double>(op, 4);
    }
}

TEST_CASE("functions of special complex numbers are those of the C library", "[lib][scalar][kernels]") {
    double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    double const parts[] = {0.0, -0.0, 1.0, -1.0, 1e-320, 1e300, -1e300, inf, -inf, nan};
    auto const same = [](double x, double y) {
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
        return std::signbit(x) == std::signbit(y) && (x == y || std::fabs(x - y) <= 4e-16 * std::fabs(y));
    };
    for (double const re : parts)
        for (double const im : parts) {
            std::complex<double> const z(re, im);
            for (auto const& [op, expected] : {std::pair(Op::exp, std::exp(z)), std::pair(Op::log, std::log(z)),
                                               std::pair(Op::sqrt, std::sqrt(z))}) {
                std::complex<double> found;
                kernels().unary[static_cast<int>(op)][register_number(DType::c128)](&found, &z, 1);
                CAPTURE(std::string(info(op).name), z, found, expected);
                CHECK((same(found.real(), expected.real()) && same(found.imag(), expected.imag())));
            }
            double size = 0;
            kernels().unary[static_cast<int>(Op::abs)][register_number(DType::c128)](&size, &z, 1);
            CAPTURE(z, size);
            CHECK(same(size, std::abs(z)));
        }
}

TEST_CASE("every function that rounds is compared with the widest type", "[lib][scalar][kernels]") {
    for (int k = 0; k < op_count; ++k) {
        Operation const& row = info(static_cast<Op>(k));
        auto const list = wide_functions(true);
        bool const compared =
            std::any_of(list.begin(), list.end(), [&](WideFunction const& each) { return each.op == row.op; });
        CAPTURE(std::string(row.name));
        CHECK(compared == (row.rounds && row.arity == 1));
    }
}
TEST_CASE("vector functions of f32 err by few units in the last place", "[lib][scalar][kernels]") {
    check_functions<float>();
}
TEST_CASE("vector functions of f64 err by few units in the last place", "[lib][scalar][kernels]") {
    check_functions<double>();
}
TEST_CASE("vector operators of f32 and f64 err by few units in the last place", "[lib][scalar][kernels]") {
    check_operators<float>();
    check_operators<double>();
}
TEST_CASE("remainders are those of the C library to the bit", "[lib][scalar][kernels]") {
    std::mt19937_64 random(7);
    constexpr std::size_t count = 200000;
    for (int const digits : {2, 20, 100}) {
        auto const a = numbers_of_all_sizes<double>(count, digits, random);
        auto const b = numbers_of_all_sizes<double>(count, digits, random);
        std::vector<float> const c(a.begin(), a.end()), d(b.begin(), b.end());
        std::vector<double> wide_rest(count);
        std::vector<float> rest(count);
        BinaryKernels const(&forms)[register_count] = kernels().binary[static_cast<int>(Op::mod)];
        forms[register_number(DType::f64)].vv(wide_rest.data(), a.data(), b.data(), count);
        forms[register_number(DType::f32)].vv(rest.data(), c.data(), d.data(), count);
        int wrong = 0;
        for (std::size_t k = 0; k < count; ++k) {
            double const expected = scalar::remainder(a[k], b[k]);
            float const narrow = scalar::remainder(c[k], d[k]);
            auto const same = [](auto x, auto y) {
                return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
            };
            wrong += !same(expected, wide_rest[k]) + !same(narrow, rest[k]);
        }
        CHECK(wrong == 0);
    }
}
TEST_CASE("functions of every f16 and bf16 are rounded as well as f32 tells", "[lib][scalar][kernels]") {
    check_every<Half>(11);
    check_every<BFloat16>(8);
}

TEST_CASE("the reference errs by half a unit in the last place", "[lib][scalar][kernels]") {
    std::mt19937_64 random(4);
    for (WideFunction const& function : wide_functions(true)) {
        std::vector<double> arguments = arguments_of<double>(function, 5000, random);
        auto const specials = special_arguments<double>();
        arguments.insert(arguments.end(), specials.begin(), specials.end());
        double most = 0, where = 0;
        for (double const x : arguments) {
            double const off = wide::units_off(real_function(function.op, x), function.exact(x));
            if (off > most) most = off, where = x;
        }
        CAPTURE(function.name(), where);
        CHECK(most <= 0.51);
    }
}
