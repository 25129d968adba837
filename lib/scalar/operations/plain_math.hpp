// The functions of the table of operations that no library has, for one double or one complex<double>, written plainly.
// Example: remainder(-1, 3) is 2; power(0, 0) is 1.
#pragma once

#include "lib/scalar/operations/operation.hpp"

namespace ein::scalar {

double sign_of(double x);
double sigmoid(double x);
double silu(double x);
double softplus(double x);
double gelu(double x);
double remainder(double a, double b);  // NumPy's mod: the sign of the divisor

/// (a b) by the school rule, without the C library's recovery of infinities: as NumPy.
Complex multiply(Complex a, Complex b);
/// Smith's algorithm, as NumPy: no needless overflow.
Complex divide(Complex a, Complex b);
/// Small whole exponents by multiplication, 0^0 = 1, as NumPy.
Complex power(Complex base, Complex exponent);
Complex complex_expm1(Complex x);
Complex complex_log1p(Complex x);
Complex complex_sigmoid(Complex x);

}  // namespace ein::scalar
