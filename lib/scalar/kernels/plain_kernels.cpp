// Kernels of every row of the table of operations, one element at a time; those that have a vector form are replaced by
// it.
#include "lib/scalar/kernels/plain_kernels.hpp"

#include <cmath>
#include <complex>
#include <concepts>
#include <utility>

#include "lib/scalar/operations/table.hpp"

namespace ein::scalar {
namespace {

/// The functions of one row. c64 too is worked out in double and rounded once.
template <std::size_t row>
struct Row {
    static constexpr Operation const& of_op = operations[row];

    static float of(float x) { return of_op.real.single(x); }
    static double of(double x) { return of_op.real.whole(x); }
    static float of(float a, float b) { return of_op.real.single_of_two(a, b); }
    static double of(double a, double b) { return of_op.real.whole_of_two(a, b); }
    template <class T>
    static std::complex<T> of(std::complex<T> x) {
        return std::complex<T>(of_op.complex.one(Complex(x)));
    }
    template <class T>
    static std::complex<T> of(std::complex<T> a, std::complex<T> b) {
        return std::complex<T>(of_op.complex.two(Complex(a), Complex(b)));
    }
    template <std::integral T>
    static T of(T a, T b) {
        return static_cast<T>(of_op.integer.two(a, b));
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

template <std::size_t row>
void enter(Kernels& table) {
    using C64 = std::complex<float>;
    using C128 = std::complex<double>;
    constexpr Operation const& of_op = operations[row];
    constexpr int f32 = register_number(DType::f32), f64 = register_number(DType::f64),
                  c64 = register_number(DType::c64), c128 = register_number(DType::c128),
                  i64 = register_number(DType::i64);
    constexpr bool of_parts = of_op.type == TypeRule::part;  // whose results have another type
    auto& one = table.unary[row];
    auto& two = table.binary[row];
    if constexpr (of_op.real.whole != nullptr)
        one[f32] = unary<Row<row>, float, float>, one[f64] = unary<Row<row>, double, double>;
    if constexpr (of_op.real.whole_of_two != nullptr)
        two[f32] = forms<Row<row>, float>, two[f64] = forms<Row<row>, double>;
    if constexpr (of_op.complex.one != nullptr && !of_parts)
        one[c64] = unary<Row<row>, C64, C64>, one[c128] = unary<Row<row>, C128, C128>;
    if constexpr (of_op.complex.two != nullptr) two[c64] = forms<Row<row>, C64>, two[c128] = forms<Row<row>, C128>;
    if constexpr (of_op.integer.two != nullptr) {
        two[i64] = forms<Row<row>, std::int64_t>;
        two[integer_register_number(DType::i32)] = forms<Row<row>, std::int32_t>;
        two[integer_register_number(DType::i16)] = forms<Row<row>, std::int16_t>;
        two[integer_register_number(DType::i8)] = forms<Row<row>, std::int8_t>;
        two[integer_register_number(DType::u8)] = forms<Row<row>, std::uint8_t>;
    }
}

template <std::size_t... row>
void enter_all(Kernels& table, std::index_sequence<row...>) {
    (enter<row>(table), ...);
}

}  // namespace

void fill_plain_kernels(Kernels& table) {
    enter_all(table, std::make_index_sequence<operations.size()>());
    auto& absolute = table.unary[static_cast<int>(Op::abs)];
    absolute[register_number(DType::c64)] = unary<ComplexAbs, float, std::complex<float>>;
    absolute[register_number(DType::c128)] = unary<ComplexAbs, double, std::complex<double>>;
}

}  // namespace ein::scalar
