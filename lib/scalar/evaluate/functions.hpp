// What each operation means for one double, complex<double> or integer: its row of the table of operations.
// The reference (evaluate) uses it for everything.
// Example: real_function(Op::mod, -1, 3) is 2; real_function(Op::round, 2.5) is 2; integer_function(Op::floor, 3) is 3.
#pragma once

#include "lib/scalar/operations/plain_math.hpp"

namespace ein::scalar {

/// A function of one real, looked up once; reals without a function stay as they are.
class RealOfOne {
public:
    RealOfOne() = default;
    explicit RealOfOne(Op op);
    double operator()(double x) const {
        if (wide_ != nullptr) return static_cast<double>(wide_(x));
        return whole_ == nullptr ? x : whole_(x);
    }

private:
    double (*whole_)(double) = nullptr;
    long double (*wide_)(long double) = nullptr;  // rounded once
};

/// The same of two reals: arithmetic, mod, pow, atan2, min, max.
class RealOfTwo {
public:
    RealOfTwo() = default;
    explicit RealOfTwo(Op op);
    double operator()(double a, double b) const {
        return wide_ != nullptr ? static_cast<double>(wide_(a, b)) : whole_(a, b);
    }

private:
    double (*whole_)(double, double) = nullptr;
    long double (*wide_)(long double, long double) = nullptr;
};

inline double real_function(Op op, double x) { return RealOfOne(op)(x); }
inline double real_function(Op op, double a, double b) { return RealOfTwo(op)(a, b); }
bool compare(Op op, double a, double b);
bool compare(Op op, std::int64_t a, std::int64_t b);

Complex complex_function(Op op, Complex x);  // of abs, real and imag: the real result
Complex complex_function(Op op, Complex a, Complex b);

std::int64_t integer_function(Op op, std::int64_t x);  // not wrapped yet
std::int64_t integer_function(Op op, std::int64_t a, std::int64_t b);

}  // namespace ein::scalar
