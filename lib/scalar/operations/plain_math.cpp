#include "lib/scalar/operations/plain_math.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace ein::scalar {
namespace {

using Wide = std::complex<long double>;

/// a + b, and what rounding it loses. Source: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
std::pair<double, double> exact_sum(double a, double b) {
    double const sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// |1 + x|^2 - 1 = 2 re + re^2 + im^2: what products and sums lose is added last, so that near the circle on which this
/// is 0 its digits stay.
double beyond_unit(Complex x) {
    double const re = x.real(), im = x.imag(), re2 = re * re, im2 = im * im;
    auto const [part, part_lost] = exact_sum(2 * re, re2);
    auto const [sum, lost] = exact_sum(part, im2);
    long double const rest = std::fma(re, re, -re2) + static_cast<long double>(std::fma(im, im, -im2));
    return static_cast<double>(sum + (lost + (part_lost + rest)));
}

}  // namespace

/// Never takes the exponential of something large: e^-|x| is at most 1.
long double sigmoid(long double x) {
    long double const small = std::exp(-std::fabs(x));
    return x >= 0 ? 1 / (1 + small) : small / (1 + small);
}

long double silu(long double x) { return x * sigmoid(x); }

long double softplus(long double x) { return (x > 0 ? x : x < 0 ? 0 : x) + std::log1p(std::exp(-std::fabs(x))); }

/// x Phi(x); erfc keeps its digits where 1 + erf would cancel. What rounding its argument t loses would cost 2 t^2
/// units in the last place, up to 1500: it is put back by erfc's slope, -2 / sqrt(pi) e^(-t^2).
long double gelu(long double x) {
    constexpr long double root = std::numbers::sqrt2_v<long double> / 2;
    static long double const root_lost = std::fma(-root, root, 0.5L) / (2 * root);
    long double const t = -x * root, lost = std::isfinite(t) ? std::fma(-x, root, -t) - x * root_lost : 0;
    long double const slope = -2 * std::numbers::inv_sqrtpi_v<long double> * std::exp(-t * t);
    return 0.5L * x * (std::erfc(t) + slope * lost);
}

Complex multiply(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Complex divide(Complex a, Complex b) {
    double const real = std::fabs(b.real());
    double const imag = std::fabs(b.imag());
    if (real == 0 && imag == 0) return {a.real() / real, a.imag() / real};
    if (real >= imag) {
        double const ratio = b.imag() / b.real();
        double const scale = 1.0 / (b.real() + b.imag() * ratio);
        return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
    }
    double const ratio = b.real() / b.imag();
    double const scale = 1.0 / (b.imag() + b.real() * ratio);
    return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

Complex power(Complex base, Complex exponent) {
    if (exponent == Complex(0)) return 1.0;
    double const whole = exponent.real();
    bool const multiplied = exponent.imag() == 0 && whole == std::trunc(whole) && std::fabs(whole) < 100;
    if (base == Complex(0) && !(multiplied && whole > 0)) {
        double const nan = std::numeric_limits<double>::quiet_NaN();
        return whole > 0 && exponent.imag() == 0 ? Complex(0) : Complex(nan, nan);
    }
    if (!multiplied) return Complex(std::pow(Wide(base), Wide(exponent)));
    Complex value = 1.0;
    bool empty = true;  // the first factor is taken as it is: 1 * inf would be nan in one part
    for (int left = static_cast<int>(std::fabs(whole)); left > 0; left /= 2) {
        if (left % 2 != 0) {
            value = empty ? base : multiply(value, base);
            empty = false;
        }
        if (left > 1) base = multiply(base, base);
    }
    return whole < 0 ? divide(1.0, value) : value;
}

/// What rounding the angle im ln 2 loses, and what f64 lacks of ln 2, turn the result a little.
Complex complex_exp2(Complex x) {
    constexpr long double ln2 = 0x1.62e42fefa39efp-1L, ln2_lost = 0x1.abc9e3b39803fp-56L;
    long double const im = x.imag(), angle = im * ln2, lost = std::fma(im, ln2, -angle) + im * ln2_lost;
    long double const size = std::exp2(static_cast<long double>(x.real()));
    long double const cosine = std::cos(angle), sine = std::sin(angle);
    double const turned = im == 0 ? x.imag() : static_cast<double>(size * (sine + lost * cosine));
    return {static_cast<double>(size * (cosine - lost * sine)), turned};
}

/// e^x cos y - 1 without cancellation near 0, and e^x sin y, in which nothing cancels.
Complex complex_expm1(Complex x) {
    long double const angle = x.imag(), half = std::sin(angle / 2);
    long double const real = std::expm1(static_cast<long double>(x.real())) * std::cos(angle) - 2 * half * half;
    return {static_cast<double>(real), std::exp(x).imag()};
}

Complex complex_log1p(Complex x) {
    double const square = beyond_unit(x);
    double const size = square > -0.5 && square < 1 ? 0.5 * std::log1p(square) : std::log(1.0 + x).real();
    return {size, std::atan2(x.imag(), 1 + x.real())};
}

Complex complex_sigmoid(Complex x) {
    return x.real() >= 0 ? divide(1.0, 1.0 + std::exp(-x)) : divide(std::exp(x), 1.0 + std::exp(x));
}

}  // namespace ein::scalar
