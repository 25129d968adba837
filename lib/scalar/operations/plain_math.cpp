#include "lib/scalar/operations/plain_math.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace ein::scalar {

double sign_of(double x) {
    if (std::isnan(x)) return x;
    return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0;
}

/// Never takes the exponential of something large: e^-|x| is at most 1.
double sigmoid(double x) {
    double const small = std::exp(-std::fabs(x));
    return x >= 0 ? 1 / (1 + small) : small / (1 + small);
}

/// e^x in two halves below the least normal number, where x e^x still has digits that e^x has lost.
double silu(double x) {
    if (!(x < -700) || std::isinf(x)) return x * sigmoid(x);
    double const root = std::exp(x / 2);
    return x * root * root;
}

double softplus(double x) { return (x > 0 ? x : x < 0 ? 0 : x) + std::log1p(std::exp(-std::fabs(x))); }

/// x Phi(x); erfc keeps its digits where 1 + erf would cancel.
double gelu(double x) { return 0.5 * x * std::erfc(-x * std::numbers::sqrt2 / 2); }

double remainder(double a, double b) {
    double const rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(0.0, b);
    return (rest < 0) != (b < 0) && !std::isnan(rest) ? rest + b : rest;
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
    if (!multiplied) return std::pow(base, exponent);
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

/// e^x cos y - 1 without cancellation near 0.
Complex complex_expm1(Complex x) {
    double const half = std::sin(x.imag() / 2);
    double const grown = std::expm1(x.real());
    return {grown * std::cos(x.imag()) - 2 * half * half, (grown + 1) * std::sin(x.imag())};
}

Complex complex_log1p(Complex x) {
    double const square = x.real() * (2 + x.real()) + x.imag() * x.imag();  // |1 + x|^2 - 1
    double const size = square > -0.5 && square < 1 ? 0.5 * std::log1p(square) : std::log(std::abs(1.0 + x));
    return {size, std::atan2(x.imag(), 1 + x.real())};
}

Complex complex_sigmoid(Complex x) {
    return x.real() >= 0 ? divide(1.0, 1.0 + std::exp(-x)) : divide(std::exp(x), 1.0 + std::exp(x));
}

}  // namespace ein::scalar
