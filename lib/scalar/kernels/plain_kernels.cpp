// Kernels of what has no vector form: one call of the C library, or of functions.hpp, an element.
#include "lib/scalar/kernels/plain_kernels.hpp"

#include <cmath>
#include <complex>

#include "lib/scalar/evaluate/functions.hpp"
#include "lib/scalar/evaluate/integers.hpp"

namespace ein::scalar {
namespace {

// The same templates as functions, so that each loop calls one function directly.
#define EIN_PLAIN(NAME, CALL) \
    struct NAME {             \
        template <class T>    \
        static T of(T x) {    \
            return CALL;      \
        }                     \
    };
EIN_PLAIN(Cbrt, std::cbrt(x))
EIN_PLAIN(Tan, std::tan(x))
EIN_PLAIN(Atan, std::atan(x))
EIN_PLAIN(Sinh, std::sinh(x))
EIN_PLAIN(Cosh, std::cosh(x))
#undef EIN_PLAIN

struct Pow {
    template <class T>
    static T of(T a, T b) {
        return std::pow(a, b);
    }
    static std::int64_t of(std::int64_t a, std::int64_t b) { return integer_pow(a, b); }
};
struct Mod {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(real_function(Op::mod, static_cast<double>(a), static_cast<double>(b)));
    }
    static std::int64_t of(std::int64_t a, std::int64_t b) { return integer_mod(a, b); }
};
struct Atan2 {
    template <class T>
    static T of(T a, T b) {
        return std::atan2(a, b);
    }
};

template <Op op>
struct ComplexCall {  // c64 too is worked out in double and rounded once
    template <class T>
    static std::complex<T> of(std::complex<T> x) {
        return std::complex<T>(complex_function(op, Complex(x)));
    }
    template <class T>
    static std::complex<T> of(std::complex<T> a, std::complex<T> b) {
        return std::complex<T>(complex_function(op, Complex(a), Complex(b)));
    }
};
struct ComplexAbs {
    template <class T>
    static T of(std::complex<T> x) {
        return std::abs(x);
    }
};

template <class F, class R, class A>
void unary(void* out, void const* a, std::size_t count) {
    auto* const r = static_cast<R*>(out);
    auto const* const x = static_cast<A const*>(a);
    for (std::size_t i = 0; i < count; ++i) r[i] = F::of(x[i]);
}

template <class F, class A, std::size_t a_step, std::size_t b_step>
void binary(void* out, void const* a, void const* b, std::size_t count) {
    auto* const r = static_cast<A*>(out);
    auto const* const x = static_cast<A const*>(a);
    auto const* const y = static_cast<A const*>(b);
    for (std::size_t i = 0; i < count; ++i) r[i] = F::of(x[i * a_step], y[i * b_step]);
}

template <class F, class A>
constexpr BinaryKernels forms{binary<F, A, 1, 1>, binary<F, A, 1, 0>, binary<F, A, 0, 1>};

template <class F>
void enter_real(Kernels& table, Op op) {
    auto& row = table.unary[static_cast<int>(op)];
    row[register_number(DType::f32)] = unary<F, float, float>;
    row[register_number(DType::f64)] = unary<F, double, double>;
}

template <class F>
void enter_real2(Kernels& table, Op op) {
    auto& row = table.binary[static_cast<int>(op)];
    row[register_number(DType::f32)] = forms<F, float>;
    row[register_number(DType::f64)] = forms<F, double>;
}

template <Op... op>
void enter_complex(Kernels& table) {
    using C64 = std::complex<float>;
    using C128 = std::complex<double>;
    ((table.unary[static_cast<int>(op)][register_number(DType::c64)] = unary<ComplexCall<op>, C64, C64>), ...);
    ((table.unary[static_cast<int>(op)][register_number(DType::c128)] = unary<ComplexCall<op>, C128, C128>), ...);
}

template <Op... op>
void enter_complex2(Kernels& table) {
    using C64 = std::complex<float>;
    using C128 = std::complex<double>;
    ((table.binary[static_cast<int>(op)][register_number(DType::c64)] = forms<ComplexCall<op>, C64>), ...);
    ((table.binary[static_cast<int>(op)][register_number(DType::c128)] = forms<ComplexCall<op>, C128>), ...);
}

}  // namespace

void fill_plain_kernels(Kernels& table) {
    enter_real<Cbrt>(table, Op::cbrt);
    enter_real<Tan>(table, Op::tan);
    enter_real<Atan>(table, Op::atan);
    enter_real<Sinh>(table, Op::sinh);
    enter_real<Cosh>(table, Op::cosh);
    enter_real2<Pow>(table, Op::pow);
    enter_real2<Mod>(table, Op::mod);
    enter_real2<Atan2>(table, Op::atan2);
    table.binary[static_cast<int>(Op::pow)][register_number(DType::i64)] = forms<Pow, std::int64_t>;
    table.binary[static_cast<int>(Op::mod)][register_number(DType::i64)] = forms<Mod, std::int64_t>;
    enter_complex<Op::sqrt, Op::rsqrt, Op::exp, Op::exp2, Op::expm1, Op::log, Op::log2, Op::log1p, Op::sin, Op::cos,
                  Op::tan, Op::atan, Op::sinh, Op::cosh, Op::tanh, Op::sigmoid, Op::silu>(table);
    enter_complex2<Op::div, Op::pow>(table);
    auto& absolute = table.unary[static_cast<int>(Op::abs)];
    absolute[register_number(DType::c64)] = unary<ComplexAbs, float, std::complex<float>>;
    absolute[register_number(DType::c128)] = unary<ComplexAbs, double, std::complex<double>>;
}

}  // namespace ein::scalar
