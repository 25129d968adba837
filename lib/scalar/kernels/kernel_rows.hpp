// The functions of reals that have vector code, one row each: kernel_loops.cpp makes loops of them, jit/trace.cpp
// records them. What is in no list runs one element at a time (plain_kernels.cpp). Included behind kernel_ops.hpp.
#pragma once

struct Cbrt {
    template <class T>
    static T of(T a) {
        return fast_cbrt(a);
    }
};
struct Sinh {
    template <class T>
    static T of(T a) {
        return fast_sinh(a);
    }
};
struct Cosh {
    template <class T>
    static T of(T a) {
        return fast_cosh(a);
    }
};
struct Atan {
    template <class T>
    static T of(T a) {
        return fast_atan(a);
    }
};
struct Pow {
    template <class T>
    static T of(T a, T b) {
        return fast_pow(a, b);
    }
};
struct Atan2 {
    template <class T>
    static T of(T a, T b) {
        return fast_atan2(a, b);
    }
};
struct Tan {
    template <Range range, class T>
    static T of(T a) {
        if (range == Range::moderate || absolute(a) <= moderate<T>) return tangent(a);
        return sizeof(T) == 4 ? T(__builtin_tanf(float(a))) : T(__builtin_tan(double(a)));  // of the C library
    }
    template <class T>
    static constexpr T moderate = Format<T>::sine_moderate;
};
struct ModOfReals {  // the sign of the divisor, as in NumPy
    template <Range range, class T>
    static T of(T a, T b) {
        if (range == Range::moderate || is_moderate(a, b)) return remainder_of_moderate(a, b);
        T const rest =
            sizeof(T) == 4 ? T(__builtin_fmodf(float(a), float(b))) : T(__builtin_fmod(double(a), double(b)));
        if (rest == 0) return with_sign_of(T(0), b);
        return (rest < 0) != (b < 0) && rest == rest ? rest + b : rest;
    }
    template <class T>
    static bool is_moderate(T a, T b) {
        return has_whole_quotient(a, b);
    }
};

template <Op op, class F>
struct VectorRow {
    static constexpr Op of_op = op;
    using Function = F;
};
template <class... Rows>
struct VectorRows {};

using RealFunctions =
    VectorRows<VectorRow<Op::neg, Neg>, VectorRow<Op::abs, Abs>, VectorRow<Op::sign, Sign>, VectorRow<Op::relu, Relu>,
               VectorRow<Op::floor, Floor>, VectorRow<Op::ceil, Ceil>, VectorRow<Op::round, Round>,
               VectorRow<Op::sqrt, Sqrt>, VectorRow<Op::rsqrt, Rsqrt>, VectorRow<Op::expm1, Expm1>,
               VectorRow<Op::log, Log>, VectorRow<Op::log2, Log2>, VectorRow<Op::log1p, Log1p>,
               VectorRow<Op::tanh, Tanh>, VectorRow<Op::asinh, Asinh>, VectorRow<Op::acosh, Acosh>,
               VectorRow<Op::atanh, Atanh>, VectorRow<Op::erf, Erf>, VectorRow<Op::cbrt, Cbrt>,
               VectorRow<Op::sinh, Sinh>, VectorRow<Op::cosh, Cosh>, VectorRow<Op::atan, Atan>>;

/// With a shorter form for moderate arguments.
using RangedFunctions =
    VectorRows<VectorRow<Op::exp, Exp>, VectorRow<Op::exp2, Exp2>, VectorRow<Op::sigmoid, Sigmoid>,
               VectorRow<Op::silu, Silu>, VectorRow<Op::softplus, Softplus>, VectorRow<Op::gelu, Gelu>>;

/// Whose form for all arguments calls the C library: no code is made of them at run time.
using LibraryFunctions = VectorRows<VectorRow<Op::sin, Sin>, VectorRow<Op::cos, Cos>, VectorRow<Op::tan, Tan>>;
using LibraryOperators = VectorRows<VectorRow<Op::mod, ModOfReals>>;

using RealOperators =
    VectorRows<VectorRow<Op::add, Add>, VectorRow<Op::sub, Sub>, VectorRow<Op::mul, Mul>, VectorRow<Op::div, Div>,
               VectorRow<Op::min, Min>, VectorRow<Op::max, Max>, VectorRow<Op::pow, Pow>, VectorRow<Op::atan2, Atan2>>;

using Comparisons = VectorRows<VectorRow<Op::lt, Lt>, VectorRow<Op::le, Le>, VectorRow<Op::gt, Gt>,
                               VectorRow<Op::ge, Ge>, VectorRow<Op::eq, Eq>, VectorRow<Op::ne, Ne>>;
