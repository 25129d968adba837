// The operations under which contracting two operands at a time gives what one pass over all labels gives: `plus`
// aggregates, `times` joins, and times distributes over plus. Elements are doubles, complex<double>s or 64-bit
// integers, which truth values (0 and 1) are too. Example: Semiring<double, Sum, Product> makes matrix products,
// Semiring<double, Least, Sum> shortest paths.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "lib/base/error.hpp"
#include "lib/graph/contract/chain.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/evaluate/integers.hpp"

namespace ein::relation {

using Complex = std::complex<double>;

template <class T>
constexpr T highest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                           : std::numeric_limits<T>::max();
template <class T>
constexpr T lowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                          : std::numeric_limits<T>::min();

struct Product {
    static double of(double a, double b) { return a * b; }
    static std::int64_t of(std::int64_t a, std::int64_t b) { return scalar::wrapping_mul(a, b); }
    static Complex of(Complex a, Complex b) {  // the school rule, as devices have it
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    }
};

struct Sum {
    static double of(double a, double b) { return a + b; }
    static Complex of(Complex a, Complex b) { return a + b; }
    static std::int64_t of(std::int64_t a, std::int64_t b) { return scalar::wrapping_add(a, b); }
    /// Of reals -0, so that a sum of one element keeps its sign.
    template <class T>
    static T identity() {
        if constexpr (std::is_same_v<T, Complex>)
            return {-0.0, -0.0};
        else
            return static_cast<T>(-0.0);
    }
};

/// nan wins in both, as in NumPy.
struct Least {
    template <class T>
    static T of(T a, T b) {
        return a < b || a != a ? a : b;
    }
    template <class T>
    static T identity() {
        return highest<T>;
    }
};
struct Greatest {
    template <class T>
    static T of(T a, T b) {
        return a > b || a != a ? a : b;
    }
    template <class T>
    static T identity() {
        return lowest<T>;
    }
};

struct Or {
    static std::int64_t of(std::int64_t a, std::int64_t b) { return a | b; }
    template <class T>
    static T identity() {
        return 0;
    }
};
struct And {
    static std::int64_t of(std::int64_t a, std::int64_t b) { return a & b; }
    template <class T>
    static T identity() {
        return 1;
    }
};

struct SumOfLogarithms {
    static double of(double a, double b) {
        double const high = Greatest::of(a, b);
        return std::isfinite(high) ? high + std::log1p(std::exp(-std::fabs(a - b))) : high;
    }
    template <class T>
    static T identity() {
        return lowest<T>;
    }
};

template <class T, class Aggregation, class Join>
struct Semiring {
    using Element = T;
    static constexpr bool is_sum_of_products =
        std::is_same_v<Aggregation, Sum> && std::is_same_v<Join, Product> && !std::is_same_v<T, std::int64_t>;
    static T zero() { return Aggregation::template identity<T>(); }
    static T plus(T a, T b) { return Aggregation::of(a, b); }
    static T times(T a, T b) { return Join::of(a, b); }
};

/// Calls visit(S()) with the semiring of an aggregation and a chain's operation, for elements of `type`.
template <class Visit>
void with_semiring(scalar::Agg agg, scalar::Op op, DType type, Visit&& visit) {
    using scalar::Agg;
    using scalar::Op;
    using Integer = std::int64_t;
    auto const ordered = [&](auto aggregation) {
        using Aggregation = decltype(aggregation);
        if (op == Op::add) return visit(Semiring<double, Aggregation, Sum>());
        if (is_exact(type))
            return op == Op::min ? visit(Semiring<Integer, Aggregation, Least>())
                                 : visit(Semiring<Integer, Aggregation, Greatest>());
        return op == Op::min ? visit(Semiring<double, Aggregation, Least>())
                             : visit(Semiring<double, Aggregation, Greatest>());
    };
    auto const logical = [&](auto aggregation) {
        using Aggregation = decltype(aggregation);
        return op == Op::logical_and ? visit(Semiring<Integer, Aggregation, And>())
                                     : visit(Semiring<Integer, Aggregation, Or>());
    };
    switch (agg) {
        case Agg::sum:
            if (is_complex(type)) return visit(Semiring<Complex, Sum, Product>());
            if (type == DType::boolean) return visit(Semiring<Integer, Or, And>());
            return is_exact(type) ? visit(Semiring<Integer, Sum, Product>()) : visit(Semiring<double, Sum, Product>());
        case Agg::min: return ordered(Least());
        case Agg::max: return ordered(Greatest());
        case Agg::any: return logical(Or());
        case Agg::all: return logical(And());
        case Agg::logsumexp: return visit(Semiring<double, SumOfLogarithms, Sum>());
        case Agg::prod: break;
    }
    throw InternalError("a product of products is not contracted");
}

/// An element as the loops hold it, and as the interpreter does.
template <class T>
T element_of(scalar::Scalar const& value) {
    if constexpr (std::is_same_v<T, Complex>)
        return value.number;
    else if constexpr (std::is_same_v<T, double>)
        return value.number.real();
    else
        return value.integer;
}
template <class T>
scalar::Scalar scalar_of(T const& value) {
    if constexpr (std::is_same_v<T, double>)
        return scalar::Scalar::of(Complex(value));
    else
        return scalar::Scalar::of(value);
}

}  // namespace ein::relation
