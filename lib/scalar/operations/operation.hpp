// What a row of the table of operations says of one operation. Parser, printer, typing, the reference, differentiation,
// kernels and devices read it there; a column that a row lacks is found by tests/lib/scalar/operations by name.
// Example: the row of exp2 is {exp2, "exp2", function of one argument, Typing rule analytic, rounds, costly, 2^x, 2^x
// of complex numbers, slope ln2 2^x}.
#pragma once

#include <complex>
#include <optional>
#include <string_view>
#include <type_traits>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

using Complex = std::complex<double>;

enum class Spelling : std::uint8_t { leaf, prefix, infix, function };

/// How tight a printed expression binds; what binds looser than its place demands gets parentheses.
enum class Binds : std::uint8_t { loose, either, both, comparison, sum, product, unary, power, primary };

/// From the types of the arguments to those of the work and the result (typing.cpp).
enum class TypeRule : std::uint8_t {
    leaf,
    cast,
    truth,         // logic: every type, gives bool
    choice,        // where
    negation,      // of bool: i64
    same,          // every type as it is
    part,          // of complex numbers: a real one
    ordered,       // integers stay integers; not of complex numbers
    real,          // integers become f64; not of complex numbers
    analytic,      // integers become f64; of complex numbers too
    arithmetic,    // + - * / ^ mod
    comparison,    // gives bool
    make_complex,  // of two reals
    position       // an index into so many elements
};

/// How an operation is carried out, by whoever walks an expression.
enum class Form : std::uint8_t {
    leaf,
    cast,
    logic,     // of truth values
    choice,    // of one of two arguments
    position,  // may be bad input
    computed   // in the type in which its arguments meet
};

/// What the derivative is; slopes stand in the row, the others are in pullback_rules.cpp.
enum class PullRule : std::uint8_t {
    none,  // changes in steps or not at all
    slope,
    pass,  // the cotangent as it is
    negation,
    conjugate,
    imaginary,
    difference,
    product,
    quotient,
    power,
    remainder,
    angle,
    least,
    greatest,
    make_complex,
    choice,
    rectified,
    modulus
};

/// dy/du of a function of one argument as factor/divisor; an empty one is 1.
struct Slope {
    Expr factor, divisor = {};
};

/// A function of one real or two, by the C library's f32 and f64 forms, and the form wider than both: what the
/// reference rounds once.
struct RealFunction {
    float (*single)(float) = nullptr;
    double (*whole)(double) = nullptr;
    long double (*wide)(long double) = nullptr;
    float (*single_of_two)(float, float) = nullptr;
    double (*whole_of_two)(double, double) = nullptr;
    long double (*wide_of_two)(long double, long double) = nullptr;

    constexpr RealFunction() = default;
    template <class F>
    constexpr RealFunction(F f) {
        if constexpr (std::is_invocable_v<F, double>)
            single = f, whole = f, wide = f;
        else
            single_of_two = f, whole_of_two = f, wide_of_two = f;
    }
};

/// The same of complex numbers or integers, of one type each.
template <class T>
struct FunctionOf {
    T (*one)(T) = nullptr;
    T (*two)(T, T) = nullptr;

    constexpr FunctionOf() = default;
    template <class F>
    constexpr FunctionOf(F f) {
        if constexpr (std::is_invocable_v<F, T>)
            one = f;
        else
            two = f;
    }
};

/// x op `value` is x, to the bit; with `left` also `value` op x. A zero's sign counts where x is real.
struct Neutral {
    double value = 0;
    bool left = false;
};

struct Operation {
    Op op;
    std::string_view name;  // "+" or "where"
    int arity;
    Spelling spelling;
    Binds binds;
    TypeRule type;
    PullRule pull;
    bool rounds = false;     // its result may be rounded: it does not just move, compare or choose among its arguments
    bool costly = false;     // takes longer than keeping a result and reading it again, as exp does
    double work = 1;         // simple operations of f32, such as +, that take as long; measured where it is not 1
    bool overflows = false;  // of integers: what it gives may not fit their type
    RealFunction real = {};  // nothing: reals stay as they are, or another rule computes it
    FunctionOf<Complex> complex = {};
    FunctionOf<std::int64_t> integer = {};  // not wrapped; nothing: integers stay as they are, or become f64 before
    bool (*compare)(double, double) = nullptr;
    bool (*compare_integers)(std::int64_t, std::int64_t) = nullptr;
    Slope (*slope)(Expr const& u, Expr const& y) = nullptr;  // of y = f(u), in terms of y where that saves a function
    std::optional<Neutral> neutral = {};
};

}  // namespace ein::scalar
