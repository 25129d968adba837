// The table of operations, one row each, in the order of Op. A new function is one row here, its vector form in
// kernels/ where it has one, and its text for GPUs in executor/device/cuda; a test walks the rows and says by name what
// is missing. Rows of a kind are made by the functions before the table: what those of one kind share stands there
// once. Read through info(op); only what makes code for each row includes this file. Source of the slopes: [Abramowitz,
// Stegun] 4.3.105, 4.5.71, 4.6.37 to 39, 7.1.19.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "lib/scalar/evaluate/integers.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/operations/plain_math.hpp"

namespace ein::scalar {
namespace rows {

using E = Expr const&;
using I = std::int64_t;
using Slopes = Slope (*)(E u, E y);

inline Expr number(double value) { return Expr::number(value); }
inline Expr whole(I value) { return Expr::integer(value); }
inline Expr call(Op op, Expr a) { return Expr::call(op, {std::move(a)}); }

/// f, known in the widest type, as a function of any.
template <class T, class F>
T in_widest(F f, T x) {
    return static_cast<T>(f(static_cast<long double>(x)));
}

constexpr Operation leaf(Op op, std::string_view name) {
    return {op, name, 0, Spelling::leaf, Binds::primary, TypeRule::leaf, PullRule::none};
}

constexpr Operation prefix(Op op, std::string_view name, TypeRule type, PullRule pull) {
    return {op, name, 1, Spelling::prefix, Binds::unary, type, pull};
}

constexpr Operation infix(Op op, std::string_view name, Binds binds, TypeRule type, PullRule pull) {
    return {op, name, 2, Spelling::infix, binds, type, pull};
}

/// A function that moves, compares or chooses among its arguments.
constexpr Operation exact(Op op, std::string_view name, int arity, TypeRule type, PullRule pull) {
    return {op, name, arity, Spelling::function, Binds::primary, type, pull};
}

/// A step function of reals: integers are what they were.
constexpr Operation step(Op op, std::string_view name, RealFunction real) {
    Operation row = exact(op, name, 1, TypeRule::ordered, PullRule::none);
    row.real = real;
    return row;
}

/// A function of one real argument that rounds and takes long.
constexpr Operation of_real(Op op, std::string_view name, RealFunction real, Slopes slope) {
    Operation row = exact(op, name, 1, TypeRule::real, PullRule::slope);
    row.rounds = row.costly = true, row.real = real, row.slope = slope;
    return row;
}

/// The same with a holomorphic function of complex numbers.
constexpr Operation analytic(Op op, std::string_view name, RealFunction real, FunctionOf<Complex> complex,
                             Slopes slope) {
    Operation row = of_real(op, name, real, slope);
    row.type = TypeRule::analytic, row.complex = complex;
    return row;
}

constexpr Operation cheap(Operation row) {
    row.costly = false;
    return row;
}

constexpr Operation arithmetic(Operation row, bool overflows, RealFunction real, FunctionOf<Complex> complex,
                               FunctionOf<I> integer, std::optional<Neutral> neutral = {}) {
    row.rounds = true, row.overflows = overflows, row.neutral = neutral;
    row.real = real, row.complex = complex, row.integer = integer;
    return row;
}

constexpr Operation of_type(Operation row, RealFunction real, FunctionOf<Complex> complex, FunctionOf<I> integer) {
    row.real = real, row.complex = complex, row.integer = integer;
    return row;
}

constexpr Operation wrapping(Operation row) {
    row.overflows = true;
    return row;
}

constexpr Operation costly(Operation row) {
    row.costly = true;
    return row;
}

/// An operation that takes as long as so many simple ones.
constexpr Operation taking(double work, Operation row) {
    row.work = work;
    return row;
}

constexpr Operation comparison(Op op, std::string_view name, bool (*reals)(double, double), bool (*integers)(I, I)) {
    Operation row = infix(op, name, Binds::comparison, TypeRule::comparison, PullRule::none);
    row.compare = reals, row.compare_integers = integers;
    return row;
}

/// Phi(u) + u phi(u), of the normal distribution.
inline Expr gelu_slope(E u) {
    Expr const half = number(0.5);
    Expr const below = half * (whole(1) + call(Op::erf, u * number(std::numbers::sqrt2 / 2)));
    Expr const density =
        number(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2) * call(Op::exp, call(Op::neg, half * (u * u)));
    return below + u * density;
}

inline Slope silu_slope(E u, E y) {
    Expr const sigmoid = call(Op::sigmoid, u);
    return {sigmoid + y * (whole(1) - sigmoid)};
}

// clang-format off
inline constexpr std::array<Operation, op_count> operations{{
    leaf(Op::operand, "operand"),
    leaf(Op::index, "index"),
    leaf(Op::number, "number"),
    leaf(Op::param, "param"),
    wrapping(of_type(prefix(Op::neg, "-", TypeRule::negation, PullRule::negation),
        [](auto x) { return -x; }, [](Complex x) { return -x; }, [](I x) { return wrapping_sub(0, x); })),
    prefix(Op::logical_not, "!", TypeRule::truth, PullRule::none),
    wrapping(of_type(exact(Op::abs, "abs", 1, TypeRule::part, PullRule::modulus),
        [](auto x) { return std::fabs(x); }, [](Complex x) { return Complex(std::abs(x)); },
        [](I x) { return x < 0 ? wrapping_sub(0, x) : x; })),
    of_type(exact(Op::sign, "sign", 1, TypeRule::ordered, PullRule::none),
        [](auto x) { return sign_of(x); }, {}, [](I x) -> I { return (x > 0) - (x < 0); }),
    step(Op::floor, "floor", [](auto x) { return std::floor(x); }),
    step(Op::ceil, "ceil", [](auto x) { return std::ceil(x); }),
    step(Op::round, "round", [](auto x) { return std::nearbyint(x); }),
    taking(8, cheap(analytic(Op::sqrt, "sqrt", [](auto x) { return std::sqrt(x); },
        [](Complex x) { return std::sqrt(x); },
        [](E, E y) -> Slope { return {{}, whole(2) * y}; }))),
    taking(10, cheap(analytic(Op::rsqrt, "rsqrt", [](auto x) { return 1 / std::sqrt(x); },
        [](Complex x) { return divide(1.0, std::sqrt(x)); },
        [](E, E y) -> Slope { return {number(-0.5) * (y * y * y)}; }))),
    taking(40, of_real(Op::cbrt, "cbrt", [](auto x) { return std::cbrt(x); },
        [](E, E y) -> Slope { return {{}, whole(3) * (y * y)}; })),
    taking(10, analytic(Op::exp, "exp", [](auto x) { return std::exp(x); }, [](Complex x) { return std::exp(x); },
        [](E, E y) -> Slope { return {y}; })),
    taking(10, analytic(Op::exp2, "exp2", [](auto x) { return std::exp2(x); },
        complex_exp2,
        [](E, E y) -> Slope { return {number(std::numbers::ln2) * y}; })),
    taking(11, analytic(Op::expm1, "expm1", [](auto x) { return std::expm1(x); }, complex_expm1,
        [](E u, E) -> Slope { return {call(Op::exp, u)}; })),
    taking(20, analytic(Op::log, "log", [](auto x) { return std::log(x); }, [](Complex x) { return std::log(x); },
        [](E u, E) -> Slope { return {{}, u}; })),
    taking(20, analytic(Op::log2, "log2", [](auto x) { return std::log2(x); },
        [](Complex x) { return std::log(x) / std::numbers::ln2; },
        [](E u, E) -> Slope { return {{}, number(std::numbers::ln2) * u}; })),
    taking(23, analytic(Op::log1p, "log1p", [](auto x) { return std::log1p(x); }, complex_log1p,
        [](E u, E) -> Slope { return {{}, whole(1) + u}; })),
    taking(36, analytic(Op::sin, "sin", [](auto x) { return std::sin(x); }, [](Complex x) { return std::sin(x); },
        [](E u, E) -> Slope { return {call(Op::cos, u)}; })),
    taking(36, analytic(Op::cos, "cos", [](auto x) { return std::cos(x); }, [](Complex x) { return std::cos(x); },
        [](E u, E) -> Slope { return {call(Op::neg, call(Op::sin, u))}; })),
    taking(44, analytic(Op::tan, "tan", [](auto x) { return std::tan(x); }, [](Complex x) { return std::tan(x); },
        [](E, E y) -> Slope { return {whole(1) + y * y}; })),
    taking(27, analytic(Op::atan, "atan", [](auto x) { return std::atan(x); }, [](Complex x) { return std::atan(x); },
        [](E u, E) -> Slope { return {{}, whole(1) + u * u}; })),
    taking(17, analytic(Op::sinh, "sinh", [](auto x) { return std::sinh(x); }, [](Complex x) { return std::sinh(x); },
        [](E u, E) -> Slope { return {call(Op::cosh, u)}; })),
    taking(14, analytic(Op::cosh, "cosh", [](auto x) { return std::cosh(x); }, [](Complex x) { return std::cosh(x); },
        [](E u, E) -> Slope { return {call(Op::sinh, u)}; })),
    taking(18, analytic(Op::tanh, "tanh", [](auto x) { return std::tanh(x); }, [](Complex x) { return std::tanh(x); },
        [](E, E y) -> Slope { return {whole(1) - y * y}; })),
    taking(36, analytic(Op::asinh, "asinh", [](auto x) { return std::asinh(x); },
        [](Complex x) { return std::asinh(x); },
        [](E u, E) -> Slope { return {{}, call(Op::sqrt, whole(1) + u * u)}; })),
    taking(36, analytic(Op::acosh, "acosh", [](auto x) { return std::acosh(x); },
        [](Complex x) { return std::acosh(x); },
        [](E u, E) -> Slope { return {{}, call(Op::sqrt, u - whole(1)) * call(Op::sqrt, u + whole(1))}; })),
    taking(36, analytic(Op::atanh, "atanh", [](auto x) { return std::atanh(x); },
        [](Complex x) { return std::atanh(x); },
        [](E u, E) -> Slope { return {{}, whole(1) - u * u}; })),
    taking(27, of_real(Op::erf, "erf", [](auto x) { return std::erf(x); },
        [](E u, E) -> Slope {
            return {number(2 * std::numbers::inv_sqrtpi) * call(Op::exp, call(Op::neg, u * u))};
        })),
    taking(12, analytic(Op::sigmoid, "sigmoid", [](auto x) { return in_widest(sigmoid, x); }, complex_sigmoid,
        [](E, E y) -> Slope { return {y * (whole(1) - y)}; })),
    of_type(exact(Op::relu, "relu", 1, TypeRule::ordered, PullRule::rectified),
        [](auto x) { return x < 0 ? decltype(x)(0) : x; }, {},
        [](I x) { return x > 0 ? x : 0; }),
    taking(14, analytic(Op::silu, "silu", [](auto x) { return in_widest(silu, x); },
        [](Complex x) { return multiply(x, complex_sigmoid(x)); }, silu_slope)),
    taking(22, of_real(Op::gelu, "gelu", [](auto x) { return in_widest(gelu, x); },
        [](E u, E) -> Slope { return {gelu_slope(u)}; })),
    taking(33, of_real(Op::softplus, "softplus", [](auto x) { return in_widest(softplus, x); },
        [](E u, E) -> Slope { return {call(Op::sigmoid, u)}; })),
    of_type(exact(Op::conj, "conj", 1, TypeRule::same, PullRule::conjugate),
        {}, [](Complex x) { return std::conj(x); }, {}),
    of_type(exact(Op::real, "real", 1, TypeRule::part, PullRule::pass),
        {}, [](Complex x) { return Complex(x.real()); }, {}),
    of_type(exact(Op::imag, "imag", 1, TypeRule::part, PullRule::imaginary),
        []([[maybe_unused]] auto x) { return decltype(x)(0); }, [](Complex x) { return Complex(x.imag()); },
        [](I) -> I { return 0; }),
    exact(Op::cast, "cast", 1, TypeRule::cast, PullRule::pass),
    arithmetic(infix(Op::add, "+", Binds::sum, TypeRule::arithmetic, PullRule::pass), true,
        [](auto a, auto b) { return a + b; }, [](Complex a, Complex b) { return a + b; }, wrapping_add,
        Neutral{-0.0, true}),
    arithmetic(infix(Op::sub, "-", Binds::sum, TypeRule::arithmetic, PullRule::difference), true,
        [](auto a, auto b) { return a - b; }, [](Complex a, Complex b) { return a - b; }, wrapping_sub, Neutral{0}),
    arithmetic(infix(Op::mul, "*", Binds::product, TypeRule::arithmetic, PullRule::product), true,
        [](auto a, auto b) { return a * b; }, multiply, wrapping_mul, Neutral{1, true}),
    taking(5, arithmetic(infix(Op::div, "/", Binds::product, TypeRule::arithmetic, PullRule::quotient), false,
        [](auto a, auto b) { return a / b; }, divide, {}, Neutral{1})),
    taking(72, costly(arithmetic(infix(Op::pow, "^", Binds::power, TypeRule::arithmetic, PullRule::power), true,
        [](auto a, auto b) { return std::pow(a, b); }, power, integer_pow, Neutral{1}))),
    taking(19, arithmetic(exact(Op::mod, "mod", 2, TypeRule::arithmetic, PullRule::remainder), false,
        [](auto a, auto b) { return remainder(a, b); }, {}, integer_mod)),
    taking(26, costly(arithmetic(exact(Op::atan2, "atan2", 2, TypeRule::real, PullRule::angle), false,
        [](auto a, auto b) { return std::atan2(a, b); }, {}, {}))),
    of_type(exact(Op::min, "min", 2, TypeRule::ordered, PullRule::least),
        [](auto a, auto b) { return a < b || a != a ? a : b; }, {}, [](I a, I b) { return a < b ? a : b; }),
    of_type(exact(Op::max, "max", 2, TypeRule::ordered, PullRule::greatest),
        [](auto a, auto b) { return a > b || a != a ? a : b; }, {}, [](I a, I b) { return a > b ? a : b; }),
    comparison(Op::lt, "<", [](double a, double b) { return a < b; }, [](I a, I b) { return a < b; }),
    comparison(Op::le, "<=", [](double a, double b) { return a <= b; },
        [](I a, I b) { return a <= b; }),
    comparison(Op::gt, ">", [](double a, double b) { return a > b; }, [](I a, I b) { return a > b; }),
    comparison(Op::ge, ">=", [](double a, double b) { return a >= b; },
        [](I a, I b) { return a >= b; }),
    comparison(Op::eq, "==", [](double a, double b) { return a == b; },
        [](I a, I b) { return a == b; }),
    comparison(Op::ne, "!=", [](double a, double b) { return a != b; },
        [](I a, I b) { return a != b; }),
    infix(Op::logical_and, "&&", Binds::both, TypeRule::truth, PullRule::none),
    infix(Op::logical_or, "||", Binds::either, TypeRule::truth, PullRule::none),
    exact(Op::complex, "complex", 2, TypeRule::make_complex, PullRule::make_complex),
    exact(Op::position, "position", 2, TypeRule::position, PullRule::none),
    exact(Op::where, "where", 3, TypeRule::choice, PullRule::choice),
}};
// clang-format on

}  // namespace rows

using rows::operations;

/// The rows stand in the order of Op, each once: found by number.
static_assert([] {
    for (std::size_t k = 0; k < operations.size(); ++k)
        if (operations[k].op != static_cast<Op>(k)) return false;
    return true;
}());

}  // namespace ein::scalar
