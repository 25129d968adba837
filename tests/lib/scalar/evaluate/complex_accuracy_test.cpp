// Functions of complex numbers beside their parts in the widest type.
#include <complex>
#include <random>
#include <vector>

#include "lib/scalar/evaluate/functions.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/wide_real.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

using wide::Real;

struct Parts {
    Real re, im;
};

Parts expm1_of(Real x, Real y) { return {wide::exp(x) * wide::cos(y) - 1, wide::exp(x) * wide::sin(y)}; }
Parts log1p_of(Real x, Real y) {
    Real const square = 2 * x + x * x + y * y;
    return {square < 1 ? wide::log1p(square) / 2 : wide::log((1 + x) * (1 + x) + y * y) / 2, wide::atan2(y, 1 + x)};
}
Parts exp2_of(Real x, Real y) {
    Real const turn = y * wide::log(Real(2));
    return {wide::exp2(x) * wide::cos(turn), wide::exp2(x) * wide::sin(turn)};
}
Parts log_of(Real x, Real y) { return {wide::log(x * x + y * y) / 2, wide::atan2(y, x)}; }
Parts tanh_of(Real x, Real y) {
    Real const below = wide::cosh(2 * x) + wide::cos(2 * y);
    return {wide::sinh(2 * x) / below, wide::sin(2 * y) / below};
}
Parts sqrt_of(Real x, Real y) {
    Real const size = wide::sqrt(x * x + y * y);
    Real const half = wide::sqrt((size + wide::fabs(x)) / 2), other = wide::fabs(y) / (2 * half);
    Real const im = x >= 0 ? other : half;
    return {x >= 0 ? half : other, y < 0 ? -im : im};
}

struct Function {
    Op op;
    Parts (*exact)(Real, Real);
};

double worst(Function const& function, std::vector<Complex> const& arguments, Complex& where) {
    double most = 0;
    for (Complex const x : arguments) {
        Complex const found = complex_function(function.op, x);
        Parts const exact = function.exact(x.real(), x.imag());
        double const off = std::max(wide::units_off(found.real(), exact.re), wide::units_off(found.imag(), exact.im));
        if (off > most) most = off, where = x;
    }
    return most;
}

std::vector<Complex> random_arguments(double size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> spread(-size, size);
    std::vector<Complex> list;
    for (int k = 0; k < 3000; ++k) {
        double const re = spread(random), im = spread(random);
        list.emplace_back(k % 3 == 0 ? re : std::ldexp(re, -static_cast<int>(random() % 40)),
                          k % 5 == 0 ? std::ldexp(im, -static_cast<int>(random() % 40)) : im);
    }
    return list;
}

}  // namespace

TEST_CASE("both parts of complex functions keep their digits", "[lib][scalar][evaluate]") {
    for (Function const& function :
         {Function{Op::expm1, expm1_of}, Function{Op::log1p, log1p_of}, Function{Op::exp2, exp2_of},
          Function{Op::log, log_of}, Function{Op::tanh, tanh_of}, Function{Op::sqrt, sqrt_of}})
        for (double const size : {0.5, 3.0, 40.0, 600.0}) {
            if (size > 300 && function.op == Op::tanh) continue;  // cosh(2 x) is beyond long double
            Complex where;
            double const most = worst(function, random_arguments(size, 5), where);
            CAPTURE(std::string(info(function.op).name), where);
            CHECK(most <= 5);  // the C library's tanh; the others err by less than 2
        }
}

TEST_CASE("complex expm1 keeps its imaginary part where e^x is small", "[lib][scalar][evaluate]") {
    std::vector<Complex> list;
    for (double x : {-1e-3, -1.0, -30.0, -40.0, -300.0, -740.0})
        for (double y : {1e-9, 1.0, -2.0, 3.0, 100.0}) list.emplace_back(x, y);
    Complex where;
    double const most = worst({Op::expm1, expm1_of}, list, where);
    CAPTURE(where);
    CHECK(most <= 2);
    CHECK(complex_function(Op::expm1, {-std::numeric_limits<double>::infinity(), 1}) == Complex(-1, 0));
    CHECK(complex_function(Op::expm1, {710, 1e-300}).imag() == Approx(std::exp(710 - 300 * std::log(10.0))));
}

TEST_CASE("complex log1p keeps its real part near the circle on which it is 0", "[lib][scalar][evaluate]") {
    std::vector<Complex> list;
    for (int k = 1; k < 400; ++k) {  // |1 + x| = 1, as nearly as f64 tells
        double const angle = k * 0.0078;
        list.emplace_back(std::cos(angle) - 1, std::sin(angle));
        list.emplace_back(-2 * std::sin(angle / 2) * std::sin(angle / 2), -std::sin(angle));
    }
    Complex where;
    double const most = worst({Op::log1p, log1p_of}, list, where);
    CAPTURE(where);
    CHECK(most <= 2);
    CHECK(complex_function(Op::log1p, {1e308, 1e308}).real() == Approx(std::log(1e308) + std::log(2.0) / 2));
}

TEST_CASE("complex expm1 is as good as its terms near the curve on which its real part is 0",
          "[lib][scalar][evaluate]") {
    for (int k = 1; k < 150; ++k) {
        double const y = k * 0.01;
        Complex const x(-std::log(std::cos(y)), y);
        auto const exact = static_cast<double>(expm1_of(x.real(), x.imag()).re);
        CAPTURE(x);
        CHECK(std::fabs(complex_function(Op::expm1, x).real() - exact) <= 0x1p-60 + std::fabs(exact) * 0x1p-52);
    }
}

TEST_CASE("a complex power errs little where its angle is large", "[lib][scalar][evaluate]") {
    for (double const n : {100.5, 333.25, -250.75}) {
        Complex const base(1.1, -0.3), found = complex_function(Op::pow, base, {n, 2});
        Real const log = wide::log(Real(base.real()) * base.real() + Real(base.imag()) * base.imag()) / 2;
        Real const turn = wide::atan2(Real(base.imag()), Real(base.real()));
        Real const size = wide::exp(n * log - 2 * turn), angle = n * turn + 2 * log;
        CAPTURE(n);
        CHECK(wide::units_off(found.real(), size * wide::cos(angle)) <= 4);
        CHECK(wide::units_off(found.imag(), size * wide::sin(angle)) <= 4);
    }
}
