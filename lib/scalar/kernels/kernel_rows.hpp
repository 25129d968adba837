// The functions of reals that have vector code, one row each: kernel_loops.cpp makes loops of them, jit/trace.cpp
// records them. What is in no list runs one element at a time (plain_kernels.cpp). Included behind kernel_ops.hpp.
#pragma once

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
