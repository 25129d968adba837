// What each operation means for one double, complex<double> or integer: its row of the table of operations.
// The reference (evaluate) uses it for everything.
// Example: real_function(Op::mod, -1, 3) is 2; real_function(Op::round, 2.5) is 2; integer_function(Op::floor, 3) is 3.
#pragma once

#include "lib/scalar/operations/plain_math.hpp"

namespace ein::scalar {

double real_function(Op op, double x);            // one argument; reals without a function stay as they are
double real_function(Op op, double a, double b);  // arithmetic, mod, pow, atan2, min, max
bool compare(Op op, double a, double b);
bool compare(Op op, std::int64_t a, std::int64_t b);

Complex complex_function(Op op, Complex x);  // of abs, real and imag: the real result
Complex complex_function(Op op, Complex a, Complex b);

std::int64_t integer_function(Op op, std::int64_t x);  // not wrapped yet
std::int64_t integer_function(Op op, std::int64_t a, std::int64_t b);

}  // namespace ein::scalar
