// The functions of the table of operations that no library has, for one number, written plainly. Those that cancel or
// lose digits on the way are worked out in long double and rounded once by who asks, since the reference must not err
// more than what it checks. Example: remainder(-1.0, 3.0) is 2; power(0, 0) is 1.
#pragma once

#include <cmath>

#include "lib/scalar/operations/operation.hpp"

namespace ein::scalar {

template <class T>
T sign_of(T x) {
    return x > 0 ? T(1) : x < 0 ? T(-1) : std::isnan(x) ? x : T(0);
}

/// NumPy's mod: the sign of the divisor.
template <class T>
T remainder(T a, T b) {
    T const rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(T(0), b);
    return (rest < 0) != (b < 0) && !std::isnan(rest) ? rest + b : rest;
}

long double sigmoid(long double x);
long double silu(long double x);
long double softplus(long double x);
long double gelu(long double x);

/// (a b) by the school rule, without the C library's recovery of infinities: as NumPy.
Complex multiply(Complex a, Complex b);
/// Smith's algorithm, as NumPy: no needless overflow.
Complex divide(Complex a, Complex b);
/// Small whole exponents by multiplication, 0^0 = 1, as NumPy.
Complex power(Complex base, Complex exponent);
Complex complex_exp2(Complex x);
Complex complex_expm1(Complex x);
Complex complex_log1p(Complex x);
Complex complex_sigmoid(Complex x);

}  // namespace ein::scalar
