// What the kernels do to one element, or to a whole vector of them when T is a recorder of operations (jit/trace.cpp).
// Included, as kernel_math.hpp is, inside the unnamed namespace of each file that compiles it for an instruction set.
#pragma once

template <class T>
struct Pair {  // a complex number
    T re, im;
};

using I64 = std::int64_t;
using U64 = std::uint64_t;

template <class T>
concept Whole = std::is_integral_v<T>;

/// What a comparison of T gives: of integers, a register as wide.
template <class T>
struct TruthOf {
    using Type = I64;
};
template <Whole T>
struct TruthOf<T> {
    using Type = T;
};
template <class T>
using Truth = typename TruthOf<T>::Type;

/// In which T is added and multiplied without overflow that has no meaning.
template <Whole T>
using Modular = std::conditional_t<sizeof(T) < 8, std::uint32_t, U64>;

template <Whole T>
T wrapped(Modular<T> x) {
    return static_cast<T>(x);
}
template <Whole T>
Modular<T> bits(T x) {
    return static_cast<Modular<T>>(x);
}

struct Add {
    template <class T>
    static T of(T a, T b) {
        return a + b;
    }
    template <class T>
    static Pair<T> of(Pair<T> a, Pair<T> b) {
        return {a.re + b.re, a.im + b.im};
    }
    template <Whole T>
    static T of(T a, T b) {
        return wrapped<T>(bits(a) + bits(b));
    }
};
struct Sub {
    template <class T>
    static T of(T a, T b) {
        return a - b;
    }
    template <class T>
    static Pair<T> of(Pair<T> a, Pair<T> b) {
        return {a.re - b.re, a.im - b.im};
    }
    template <Whole T>
    static T of(T a, T b) {
        return wrapped<T>(bits(a) - bits(b));
    }
};
struct Mul {
    template <class T>
    static T of(T a, T b) {
        return a * b;
    }
    template <class T>
    static Pair<T> of(Pair<T> a, Pair<T> b) {
        // A sum, because GCC 12.2 makes a fused multiply-add of a difference beside a sum, whatever -ffp-contract says
        // (its bug 107647).
        return {a.re * b.re + a.im * -b.im, a.re * b.im + a.im * b.re};
    }
    template <Whole T>
    static T of(T a, T b) {
        return wrapped<T>(bits(a) * bits(b));
    }
};
struct Div {
    template <class T>
    static T of(T a, T b) {
        return a / b;
    }
};
/// Of integers with less than 64 bits: the sign of the divisor, 0 when that is 0. A quotient of whole numbers, raised
/// by half of what is between it and the next such quotient, has the same floor however its last bits are rounded.
struct Mod {
    template <Whole T>
    static T of(T a, T b) {
        using Real = std::conditional_t<sizeof(T) < 4, float, double>;
        Real const x = static_cast<Real>(a), y = static_cast<Real>(b == 0 ? T(1) : b);
        Real const inverse = Real(1) / y, half = y > 0 ? Real(0.5) : Real(-0.5);
        return static_cast<T>(static_cast<std::int32_t>(x - floor_of((x + half) * inverse) * y));
    }
};
struct Min {  // nan wins, as in NumPy
    template <class T>
    static T of(T a, T b) {
        return pick((a < b) | (a != a), a, b);
    }
};
struct Max {
    template <class T>
    static T of(T a, T b) {
        return pick((a > b) | (a != a), a, b);
    }
};
struct Lt {
    template <class T>
    static Truth<T> of(T a, T b) {
        return a < b;
    }
};
struct Le {
    template <class T>
    static Truth<T> of(T a, T b) {
        return a <= b;
    }
};
struct Gt {
    template <class T>
    static Truth<T> of(T a, T b) {
        return a > b;
    }
};
struct Ge {
    template <class T>
    static Truth<T> of(T a, T b) {
        return a >= b;
    }
};
struct Eq {
    template <class T>
    static Truth<T> of(T a, T b) {
        return a == b;
    }
    template <class T>
    static I64 of(Pair<T> a, Pair<T> b) {
        return (a.re == b.re) & (a.im == b.im);
    }
};
struct Ne {
    template <class T>
    static Truth<T> of(T a, T b) {
        return a != b;
    }
    template <class T>
    static I64 of(Pair<T> a, Pair<T> b) {
        return (a.re != b.re) | (a.im != b.im);
    }
};
struct And {
    template <Whole T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
};  // of truths
struct Or {
    template <Whole T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct Join {
    template <class T>
    static Pair<T> of(T a, T b) {
        return {a, b};
    }
};

struct Neg {
    template <class T>
    static T of(T a) {
        return -a;
    }
    template <class T>
    static Pair<T> of(Pair<T> a) {
        return {-a.re, -a.im};
    }
    template <Whole T>
    static T of(T a) {
        return wrapped<T>(Modular<T>(0) - bits(a));
    }
};
struct Not {
    template <Whole T>
    static T of(T a) {
        return static_cast<T>(a ^ 1);
    }
};  // of a truth
struct Abs {
    template <class T>
    static T of(T a) {
        return absolute(a);
    }
    template <Whole T>
    static T of(T a) {
        T const sign = static_cast<T>(a < 0 ? -1 : 0);
        return wrapped<T>(bits<T>(static_cast<T>(a ^ sign)) - bits(sign));
    }
};
struct Sign {
    template <class T>
    static T of(T a) {
        T const s = pick(a > T(0), T(1), T(0)) - pick(a < T(0), T(1), T(0));
        return pick(a != a, a, s);
    }
    template <Whole T>
    static T of(T a) {
        return static_cast<T>((a > 0) - (a < 0));
    }
};
struct Relu {
    template <class T>
    static T of(T a) {
        return pick(a < T(0), T(0), a);
    }
};
struct Floor {
    template <class T>
    static T of(T a) {
        return floor_of(a);
    }
};
struct Ceil {
    template <class T>
    static T of(T a) {
        return ceil_of(a);
    }
};
struct Round {
    template <class T>
    static T of(T a) {
        return nearest_of(a);
    }
};
struct Sqrt {
    template <class T>
    static T of(T a) {
        return root_of(a);
    }
};
struct Rsqrt {
    template <class T>
    static T of(T a) {
        return T(1) / root_of(a);
    }
};
struct Exp {
    template <Range range, class T>
    static T of(T a) {
        return fast_exp<range>(a);
    }
    template <class T>
    static constexpr T moderate = Format<T>::exp_moderate;
};
struct Exp2 {
    template <Range range, class T>
    static T of(T a) {
        return fast_exp2<range>(a);
    }
    template <class T>
    static constexpr T moderate = Format<T>::exp2_moderate;
};
struct Expm1 {
    template <class T>
    static T of(T a) {
        return fast_expm1(a);
    }
};
struct Log {
    template <class T>
    static T of(T a) {
        return fast_log(a);
    }
};
struct Log2 {
    template <class T>
    static T of(T a) {
        return fast_log2(a);
    }
};
struct Log1p {
    template <class T>
    static T of(T a) {
        return fast_log1p(a);
    }
};
struct Sin {
    template <Range range, class T>
    static T of(T a) {
        if (range == Range::moderate || absolute(a) <= moderate<T>) return sine_of_turned<T, 0>(a);
        return sizeof(T) == 4 ? T(__builtin_sinf(float(a))) : T(__builtin_sin(double(a)));  // of the C library
    }
    template <class T>
    static constexpr T moderate = Format<T>::sine_moderate;
};
struct Cos {
    template <Range range, class T>
    static T of(T a) {
        if (range == Range::moderate || absolute(a) <= moderate<T>) return sine_of_turned<T, 1>(a);
        return sizeof(T) == 4 ? T(__builtin_cosf(float(a))) : T(__builtin_cos(double(a)));  // of the C library
    }
    template <class T>
    static constexpr T moderate = Format<T>::sine_moderate;
};
struct Tanh {
    template <class T>
    static T of(T a) {
        return fast_tanh(a);
    }
};
struct Asinh {
    template <class T>
    static T of(T a) {
        return fast_asinh(a);
    }
};
struct Acosh {
    template <class T>
    static T of(T a) {
        return fast_acosh(a);
    }
};
struct Atanh {
    template <class T>
    static T of(T a) {
        return fast_atanh(a);
    }
};
struct Sigmoid {
    template <Range range, class T>
    static T of(T a) {
        return fast_sigmoid<range>(a);
    }
    template <class T>
    static constexpr T moderate = Format<T>::exp_moderate;
};
struct Silu {
    template <Range range, class T>
    static T of(T a) {
        return fast_silu<range>(a);
    }
    template <class T>
    static constexpr T moderate = Format<T>::exp_moderate;
};
struct Softplus {
    template <Range range, class T>
    static T of(T a) {
        return fast_softplus<range>(a);
    }
    template <class T>
    static constexpr T moderate = Format<T>::exp_moderate;
};
struct Erf {
    template <class T>
    static T of(T a) {
        return fast_erf(a);
    }
};
struct Gelu {
    template <Range range, class T>
    static T of(T a) {
        return fast_gelu<range>(a);
    }
    template <class T>
    static constexpr T moderate = Format<T>::gelu_moderate;
};
struct Conj {
    template <class T>
    static Pair<T> of(Pair<T> a) {
        return {a.re, -a.im};
    }
};
struct Real {
    template <class T>
    static T of(Pair<T> a) {
        return a.re;
    }
};
struct Imag {
    template <class T>
    static T of(Pair<T> a) {
        return a.im;
    }
};
struct Zero {
    template <class T>
    static T of(T) {
        return T(0);
    }
};
struct IsTrue {
    template <class T>
    static Truth<T> of(T a) {
        return a != T(0);
    }
    template <class T>
    static I64 of(Pair<T> a) {
        return (a.re != T(0)) | (a.im != T(0));
    }
};

// ---- the functions of reals that have vector code, one row each: kernel_loops.cpp makes loops of them, jit/trace.cpp
// records them. What is in no list runs one element at a time (plain_kernels.cpp). ----

template <Op op, class F>
struct VectorRow {
    static constexpr Op of_op = op;
    using Function = F;
};
template <class... Rows>
struct VectorRows {};

using RealFunctions = VectorRows<VectorRow<Op::neg, Neg>, VectorRow<Op::abs, Abs>, VectorRow<Op::sign, Sign>,
                                 VectorRow<Op::relu, Relu>, VectorRow<Op::floor, Floor>, VectorRow<Op::ceil, Ceil>,
                                 VectorRow<Op::round, Round>, VectorRow<Op::sqrt, Sqrt>, VectorRow<Op::rsqrt, Rsqrt>,
                                 VectorRow<Op::expm1, Expm1>, VectorRow<Op::log, Log>, VectorRow<Op::log2, Log2>,
                                 VectorRow<Op::log1p, Log1p>, VectorRow<Op::tanh, Tanh>, VectorRow<Op::asinh, Asinh>,
                                 VectorRow<Op::acosh, Acosh>, VectorRow<Op::atanh, Atanh>, VectorRow<Op::erf, Erf>>;

/// With a shorter form for moderate arguments.
using RangedFunctions =
    VectorRows<VectorRow<Op::exp, Exp>, VectorRow<Op::exp2, Exp2>, VectorRow<Op::sigmoid, Sigmoid>,
               VectorRow<Op::silu, Silu>, VectorRow<Op::softplus, Softplus>, VectorRow<Op::gelu, Gelu>>;

/// Whose form for all arguments calls the C library: no code is made of them at run time.
using LibraryFunctions = VectorRows<VectorRow<Op::sin, Sin>, VectorRow<Op::cos, Cos>>;

using RealOperators = VectorRows<VectorRow<Op::add, Add>, VectorRow<Op::sub, Sub>, VectorRow<Op::mul, Mul>,
                                 VectorRow<Op::div, Div>, VectorRow<Op::min, Min>, VectorRow<Op::max, Max>>;

using Comparisons = VectorRows<VectorRow<Op::lt, Lt>, VectorRow<Op::le, Le>, VectorRow<Op::gt, Gt>,
                               VectorRow<Op::ge, Ge>, VectorRow<Op::eq, Eq>, VectorRow<Op::ne, Ne>>;
