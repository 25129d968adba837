// What each operation means for one double or one complex<double>: NumPy's and the C library's meaning, written plainly.
// The judge (evaluate) uses it for everything, the program for what has no vector kernel.
// Example: real_function(Op::mod, -1, 3) is 2; real_function(Op::round, 2.5) is 2.
#pragma once

#include <complex>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

using Complex = std::complex<double>;

double real_function(Op op, double x);            // one argument; real result
double real_function(Op op, double a, double b);  // arithmetic, mod, pow, atan2, min, max
bool compare(Op op, double a, double b);

Complex complex_function(Op op, Complex x);  // but abs, real, imag
Complex complex_function(Op op, Complex a, Complex b);

/// (a b) by the school rule, without the C library's recovery of infinities: as NumPy.
Complex multiply(Complex a, Complex b);
/// Smith's algorithm, as NumPy: no needless overflow.
Complex divide(Complex a, Complex b);
/// Small whole exponents by multiplication, 0^0 = 1, as NumPy.
Complex power(Complex base, Complex exponent);

}  // namespace ein::scalar
