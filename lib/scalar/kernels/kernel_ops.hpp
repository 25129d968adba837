// What the kernels do to one element, or to a whole vector of them when T is a recorder of operations (jit/trace.cpp).
// Included, as kernel_math.hpp is, inside the unnamed namespace of each file that compiles it for an instruction set.
#pragma once

template <class T>
struct Pair {  // a complex number
    T re, im;
};

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
/// Of c64, in f64, which has room for the squares.
struct Modulus {
    static float of(Pair<float> a) {
        double const re = a.re, im = a.im;
        float const size = static_cast<float>(root_of(re * re + im * im));
        constexpr float infinity = __builtin_inff();
        return pick((absolute(a.re) == infinity) | (absolute(a.im) == infinity), infinity, size);
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
