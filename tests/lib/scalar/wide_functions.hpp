// The functions of reals that are not exact, each beside its value in the widest type, for tests of accuracy.
// Example: of {Op::exp, wide::exp, -746, 710} arguments are drawn where the result is neither constant nor infinite.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "lib/scalar/expression/ops.hpp"
#include "tests/support/wide_real.hpp"

namespace ein::scalar {

struct WideFunction {
    Op op;
    wide::Real (*exact)(wide::Real);
    double low, high;  // of arguments

    std::string name() const { return std::string(info(op).name); }
};

/// @param f64  arguments for f64, else for f32
inline std::vector<WideFunction> wide_functions(bool f64) {
    double const most = f64 ? 709.7 : 88.7;
    return {{Op::sqrt, wide::sqrt, 0, 1e10},
            {Op::rsqrt, wide::rsqrt, 0, 1e10},
            {Op::cbrt, wide::cbrt, -1e10, 1e10},
            {Op::exp, wide::exp, f64 ? -746.0 : -104.0, most},
            {Op::exp2, wide::exp2, f64 ? -1075.0 : -150.0, f64 ? 1024.0 : 128.0},
            {Op::expm1, wide::expm1, -40, most},
            {Op::log, wide::log, 0, 100},
            {Op::log2, wide::log2, 0, 100},
            {Op::log1p, wide::log1p, -1, 100},
            {Op::sin, wide::sin, -1e5, 1.1e5},
            {Op::cos, wide::cos, -1e5, 1.1e5},
            {Op::tan, wide::tan, -1e5, 1.1e5},
            {Op::atan, wide::atan, -100, 100},
            {Op::sinh, wide::sinh, -most, most},
            {Op::cosh, wide::cosh, -most, most},
            {Op::tanh, wide::tanh, -20, 20},
            {Op::asinh, wide::asinh, -1e3, 1e10},
            {Op::acosh, wide::acosh, 1, 1e10},
            {Op::atanh, wide::atanh, -1, 1},
            {Op::erf, wide::erf, -6, 6},
            {Op::sigmoid, wide::sigmoid, -most, 40},
            {Op::silu, wide::silu, f64 ? -755.0 : -110.0, 40},
            {Op::gelu, wide::gelu, f64 ? -38.4 : -14.2, 20},
            {Op::softplus, wide::softplus, -most, 40}};
}

/// Of all sizes, some within the function's range, some nearer to 0.
template <class T>
std::vector<T> arguments_of(WideFunction const& function, int count, std::mt19937_64& random) {
    std::uniform_real_distribution<T> spread(static_cast<T>(function.low), static_cast<T>(function.high));
    std::vector<T> list;
    for (int k = 0; k < count; ++k) {
        T const x = spread(random);
        list.push_back(k % 3 == 0 ? x : k % 3 == 1 ? std::ldexp(x, -static_cast<int>(random() % 60)) : x / 50);
    }
    return list;
}

}  // namespace ein::scalar
