// The kernels for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each (ein_instruction_sets
// in cmake/EinLibrary.cmake). Everything is in an unnamed namespace and calls nothing outside it but the C library:
// code for one processor must never be linked into another's table. Loops are plain so that the compiler turns them
// into vector code.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/scalar/kernels/kernels.hpp"

#ifndef EIN_INSTRUCTION_SET
#define EIN_INSTRUCTION_SET baseline  // for tools that read this file by itself
#endif

namespace ein::scalar {
namespace {
#include "lib/scalar/kernels/kernel_format.hpp"
#include "lib/scalar/kernels/kernel_integers.hpp"
#include "lib/scalar/kernels/kernel_math.hpp"
#include "lib/scalar/kernels/kernel_ops.hpp"
#include "lib/scalar/kernels/kernel_powers.hpp"
#include "lib/scalar/kernels/kernel_rows.hpp"

#include "lib/scalar/kernels/kernel_complex.hpp"

template <class Narrow>
struct Wrap {
    template <Whole T>
    static T of(T a) {
        return static_cast<T>(static_cast<Narrow>(a));
    }
};

/// f32 to the nearest f16, ties to even, and back: the last bits that f16 lacks are rounded off by adding and
/// subtracting a number of the right size, which covers f16's subnormals too.
struct RoundF16 {
    static float of(float a) {
        float const size = absolute(a);
        std::uint32_t const exponent = bits_of(size) & 0x7f800000u;
        std::uint32_t const least = 0x38800000u;  // 2^-14: below it f16's spacing no longer shrinks
        float const magic = from_bits<float>((exponent < least ? least : exponent) + (13u << 23)) * 1.5f;
        float const rounded = (size + magic) - magic;
        float const result = size < 65520.0f ? rounded : from_bits<float>(0x7f800000u);
        return with_sign_of(size != size ? size : result, a);
    }
};
struct RoundBF16 {
    static float of(float a) {
        std::uint32_t const raw = bits_of(a);
        std::uint32_t const rounded = (raw + 0x7fffu + ((raw >> 16) & 1u)) & 0xffff0000u;
        return a != a ? a : from_bits<float>(rounded);
    }
};

/// As round_to_odd() of lib/base/float16.hpp, which is not called from here (see above).
struct ToOdd {
    static float of(double a) {
        float const nearest = static_cast<float>(a);
        std::uint32_t const raw = bits_of(nearest);
        double const difference = absolute(a) - absolute(static_cast<double>(nearest));
        std::uint32_t const step = difference > 0 ? 1u : difference < 0 ? ~0u : 0u;
        return from_bits<float>((raw & 1u) != 0 ? raw : raw + step);
    }
    static float of(I64 a) {
        constexpr I64 most = I64(1) << 53, lost = 0x7ff;
        return of(static_cast<double>(a > -most && a < most ? a : (((a & lost) + lost) | a) & ~lost));
    }
    static float of(Pair<double> a) { return of(a.re); }
};

// ---- conversions: real parts of complex numbers, whole parts of reals; what no int64 holds is 0 ----

template <class To>
struct Into {
    template <class T>
    static To of(T a) {
        return static_cast<To>(a);
    }
    template <class T>
    static To of(Pair<T> a) {
        return static_cast<To>(a.re);
    }
};
template <>
struct Into<I64> {
    template <class T>
    static I64 of(T a) {
        return ((a >= T(-0x1p63)) & (a < T(0x1p63))) ? static_cast<I64>(a) : 0;
    }
    template <class T>
    static I64 of(Pair<T> a) {
        return of(a.re);
    }
};
template <class P>
struct Into<Pair<P>> {
    template <class T>
    static Pair<P> of(T a) {
        return {static_cast<P>(a), P(0)};
    }
    template <class T>
    static Pair<P> of(Pair<T> a) {
        return {static_cast<P>(a.re), static_cast<P>(a.im)};
    }
};

// ---- loops ----
template <class F, class R, class A>
void unary(void* out, void const* a, std::size_t count) {
    auto* __restrict const r = static_cast<R*>(out);
    auto const* const x = static_cast<A const*>(a);
    for (std::size_t i = 0; i < count; ++i) r[i] = F::of(x[i]);
}

/// A function with a shorter form for arguments of moderate size: taken where every argument of a tile has it, which
/// gives the same bits.
template <class F, class T>
void unary_by_range(void* out, void const* a, std::size_t count) {
    constexpr std::size_t stretch = 128;
    constexpr Bits<T> most = bits_of(F::template moderate<T>);
    auto* __restrict r = static_cast<T*>(out);
    auto const* x = static_cast<T const*>(a);
    for (std::size_t n = 0; count > 0; r += n, x += n, count -= n) {
        n = count < stretch ? count : stretch;
        Bits<T> beyond = 0;  // its top bit
        for (std::size_t i = 0; i < n; ++i) beyond |= most - bits_of(absolute(x[i]));
        if (beyond >> (8 * sizeof(T) - 1) == 0)
            for (std::size_t i = 0; i < n; ++i) r[i] = F::template of<Range::moderate>(x[i]);
        else
            for (std::size_t i = 0; i < n; ++i) r[i] = F::template of<Range::whole>(x[i]);
    }
}

template <class F, class R, class A>
struct Binary {
    static void vv(void* out, void const* a, void const* b, std::size_t count) {
        auto* __restrict const r = static_cast<R*>(out);
        auto const* const x = static_cast<A const*>(a);
        auto const* const y = static_cast<A const*>(b);
        for (std::size_t i = 0; i < count; ++i) r[i] = F::of(x[i], y[i]);
    }
    static void vs(void* out, void const* a, void const* b, std::size_t count) {
        auto* __restrict const r = static_cast<R*>(out);
        auto const* const x = static_cast<A const*>(a);
        A const y = *static_cast<A const*>(b);
        for (std::size_t i = 0; i < count; ++i) r[i] = F::of(x[i], y);
    }
    static void sv(void* out, void const* a, void const* b, std::size_t count) {
        auto* __restrict const r = static_cast<R*>(out);
        A const x = *static_cast<A const*>(a);
        auto const* const y = static_cast<A const*>(b);
        for (std::size_t i = 0; i < count; ++i) r[i] = F::of(x, y[i]);
    }
};

/// An operator with a shorter form for moderate arguments, as above.
template <class F, class T, bool a_single, bool b_single>
void binary_by_range(void* out, void const* a, void const* b, std::size_t count) {
    constexpr std::size_t stretch = 128;
    auto* __restrict r = static_cast<T*>(out);
    auto const* x = static_cast<T const*>(a);
    auto const* y = static_cast<T const*>(b);
    T const x0 = *x;
    T const y0 = *y;
    for (std::size_t n = 0; count > 0; r += n, x += a_single ? 0 : n, y += b_single ? 0 : n, count -= n) {
        n = count < stretch ? count : stretch;
        int beyond = 0;
        for (std::size_t i = 0; i < n; ++i) beyond |= !F::is_moderate(a_single ? x0 : x[i], b_single ? y0 : y[i]);
        if (beyond == 0)
            for (std::size_t i = 0; i < n; ++i)
                r[i] = F::template of<Range::moderate>(a_single ? x0 : x[i], b_single ? y0 : y[i]);
        else
            for (std::size_t i = 0; i < n; ++i)
                r[i] = F::template of<Range::whole>(a_single ? x0 : x[i], b_single ? y0 : y[i]);
    }
}

template <class T, class Condition, bool a_single, bool b_single>
void select(void* out, void const* condition, void const* a, void const* b, std::size_t count) {
    auto* __restrict const r = static_cast<T*>(out);
    auto const* const c = static_cast<Condition const*>(condition);
    auto const* const x = static_cast<T const*>(a);
    auto const* const y = static_cast<T const*>(b);
    T const x0 = *x;
    T const y0 = *y;
    for (std::size_t i = 0; i < count; ++i) {
        T const yes = a_single ? x0 : x[i];
        T const no = b_single ? y0 : y[i];
        r[i] = c[i] != 0 ? yes : no;
    }
}

template <class T>
void fill(void* out, void const* a, std::size_t count) {
    auto* __restrict const r = static_cast<T*>(out);
    T const x = *static_cast<T const*>(a);
    for (std::size_t i = 0; i < count; ++i) r[i] = x;
}

// ---- the table ----

template <class T>
constexpr int number_of = 4;
template <>
constexpr int number_of<float> = 0;
template <>
constexpr int number_of<double> = 1;
template <>
constexpr int number_of<Pair<float>> = 2;
template <>
constexpr int number_of<Pair<double>> = 3;
template <>
constexpr int number_of<std::int32_t> = 5;
template <>
constexpr int number_of<std::int16_t> = 6;
template <>
constexpr int number_of<std::int8_t> = 7;
template <>
constexpr int number_of<std::uint8_t> = 8;

template <class F, class R, class A>
void enter(Kernels& table, Op op) {
    table.unary[static_cast<int>(op)][number_of<A>] = unary<F, R, A>;
}

template <class F, class R, class A>
void enter2(Kernels& table, Op op) {
    using B = Binary<F, R, A>;
    table.binary[static_cast<int>(op)][number_of<A>] = {B::vv, B::vs, B::sv};
}

template <class F, class... T>
void each(Kernels& table, Op op) {
    (enter<F, T, T>(table, op), ...);
}

template <class F, class... T>
void each2(Kernels& table, Op op) {
    (enter2<F, T, T>(table, op), ...);
}

template <class... Rows>
void enter_functions(Kernels& table, VectorRows<Rows...>) {
    (each<typename Rows::Function, float, double>(table, Rows::of_op), ...);
}

template <class F>
void enter_by_range(UnaryKernel (&row)[register_count]) {
    row[number_of<float>] = unary_by_range<F, float>;
    row[number_of<double>] = unary_by_range<F, double>;
}

template <class... Rows>
void enter_by_range(Kernels& table, VectorRows<Rows...>) {
    (enter_by_range<typename Rows::Function>(table.unary[static_cast<int>(Rows::of_op)]), ...);
}

template <class F, class T>
void enter_operator_by_range(BinaryKernels& row) {
    row = {binary_by_range<F, T, false, false>, binary_by_range<F, T, false, true>, binary_by_range<F, T, true, false>};
}

template <class... Rows>
void enter_operators_by_range(Kernels& table, VectorRows<Rows...>) {
    (enter_operator_by_range<typename Rows::Function, float>(
         table.binary[static_cast<int>(Rows::of_op)][number_of<float>]),
     ...);
    (enter_operator_by_range<typename Rows::Function, double>(
         table.binary[static_cast<int>(Rows::of_op)][number_of<double>]),
     ...);
}

template <class... Rows>
void enter_operators(Kernels& table, VectorRows<Rows...>) {
    (each2<typename Rows::Function, float, double>(table, Rows::of_op), ...);
}

template <class T, class... Rows>
void enter_comparisons(Kernels& table, VectorRows<Rows...>) {
    (enter2<typename Rows::Function, Truth<T>, T>(table, Rows::of_op), ...);
}

/// What every register has.
template <class T>
void enter_choices(Kernels& table) {
    constexpr int number = number_of<T>;
    table.truth[number] = unary<IsTrue, Truth<T>, T>;
    table.fill[number] = fill<T>;
    table.select[number] = {select<T, Truth<T>, false, false>, select<T, Truth<T>, false, true>,
                            select<T, Truth<T>, true, false>, select<T, Truth<T>, true, true>};
}

template <class From>
void enter_conversions(Kernels& table) {
    constexpr int from = number_of<From>;
    table.convert[from][0] = unary<Into<float>, float, From>;
    table.convert[from][1] = unary<Into<double>, double, From>;
    table.convert[from][2] = unary<Into<Pair<float>>, Pair<float>, From>;
    table.convert[from][3] = unary<Into<Pair<double>>, Pair<double>, From>;
    table.convert[from][4] = unary<Into<I64>, I64, From>;
    table.convert[from][from] = nullptr;
    enter_choices<From>(table);
}

void enter_reals(Kernels& table) {
    enter_functions(table, RealFunctions{});
    enter_by_range(table, RangedFunctions{});
    enter_by_range(table, LibraryFunctions{});
    enter_operators(table, RealOperators{});
    enter_operators_by_range(table, LibraryOperators{});
    enter_comparisons<float>(table, Comparisons{});
    enter_comparisons<double>(table, Comparisons{});
    each<Zero, float, double>(table, Op::imag);
}

template <class T>
void enter_integers(Kernels& table) {
    each<Neg, T>(table, Op::neg);
    each<Not, T>(table, Op::logical_not);
    each<Abs, T>(table, Op::abs);
    each<Sign, T>(table, Op::sign);
    each<Relu, T>(table, Op::relu);
    each<Zero, T>(table, Op::imag);
    each2<Add, T>(table, Op::add);
    each2<Sub, T>(table, Op::sub);
    each2<Mul, T>(table, Op::mul);
    each2<Min, T>(table, Op::min);
    each2<Max, T>(table, Op::max);
    each2<And, T>(table, Op::logical_and);
    each2<Or, T>(table, Op::logical_or);
    enter_comparisons<T>(table, Comparisons{});
    UnaryKernel(&wrap)[dtype_count] = table.wrap[number_of<T>];
    wrap[static_cast<int>(DType::i8)] = unary<Wrap<std::int8_t>, T, T>;
    wrap[static_cast<int>(DType::i16)] = unary<Wrap<std::int16_t>, T, T>;
    wrap[static_cast<int>(DType::i32)] = unary<Wrap<std::int32_t>, T, T>;
    wrap[static_cast<int>(DType::u8)] = unary<Wrap<std::uint8_t>, T, T>;
    wrap[static_cast<int>(DType::boolean)] = unary<IsTrue, T, T>;
}

/// Integers of programs that have none wider.
template <class T>
void enter_narrow_integers(Kernels& table) {
    enter_integers<T>(table);
    enter_choices<T>(table);
    each2<Mod, T>(table, Op::mod);
}

template <class T>
void enter_complex(Kernels& table) {
    each<Neg, Pair<T>>(table, Op::neg);
    each<Conj, Pair<T>>(table, Op::conj);
    enter<Real, T, Pair<T>>(table, Op::real);
    enter<Imag, T, Pair<T>>(table, Op::imag);
    each2<Add, Pair<T>>(table, Op::add);
    each2<Sub, Pair<T>>(table, Op::sub);
    each2<Mul, Pair<T>>(table, Op::mul);
    enter2<Join, Pair<T>, T>(table, Op::complex);
    enter_complex_functions<T>(table, number_of<Pair<T>>);
    enter2<Eq, I64, Pair<T>>(table, Op::eq);
    enter2<Ne, I64, Pair<T>>(table, Op::ne);
}

}  // namespace

#define EIN_JOINED(a, b) a##b
#define EIN_NAMED(a, b) EIN_JOINED(a, b)
#define EIN_FILL_KERNELS EIN_NAMED(fill_kernels_, EIN_INSTRUCTION_SET)

void EIN_FILL_KERNELS(Kernels& table);

void EIN_FILL_KERNELS(Kernels& table) {
    enter_reals(table);
    enter_integers<I64>(table);
    enter_operator_by_range<ModOfWide, I64>(table.binary[static_cast<int>(Op::mod)][number_of<I64>]);
    enter_narrow_integers<std::int32_t>(table);
    enter_narrow_integers<std::int16_t>(table);
    enter_narrow_integers<std::int8_t>(table);
    enter_narrow_integers<std::uint8_t>(table);
    enter_complex<float>(table);
    enter<Modulus, float, Pair<float>>(table, Op::abs);
    enter_complex<double>(table);
    enter_conversions<float>(table);
    enter_conversions<double>(table);
    enter_conversions<Pair<float>>(table);
    enter_conversions<Pair<double>>(table);
    enter_conversions<I64>(table);
    table.to_odd[number_of<double>] = unary<ToOdd, float, double>;
    table.to_odd[number_of<Pair<double>>] = unary<ToOdd, float, Pair<double>>;
    table.to_odd[number_of<I64>] = unary<ToOdd, float, I64>;
    table.position = position;
    table.count_up = count_up;
    table.round_f16 = unary<RoundF16, float, float>;
    table.round_bf16 = unary<RoundBF16, float, float>;
}

}  // namespace ein::scalar
