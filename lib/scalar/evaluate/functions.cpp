#include "lib/scalar/evaluate/functions.hpp"

#include "lib/base/error.hpp"
#include "lib/scalar/expression/ops.hpp"

namespace ein::scalar {
namespace {

/// The function that a row has.
template <class Function>
Function of_row(Op op, Function function, char const* kind) {
    if (function == nullptr)
        throw InternalError("the table of operations has no " + std::string(kind) + " " + quoted(op));
    return function;
}

/// Whether the wide form is rounded to f64. Sums, products, quotients and roots are rounded once by the processor, and
/// would be twice.
bool is_rounded_again(Operation const& row) { return row.costly || row.op == Op::rsqrt; }

}  // namespace

RealOfOne::RealOfOne(Op op) : whole_(info(op).real.whole) {
    if (is_rounded_again(info(op))) wide_ = info(op).real.wide;
}

RealOfTwo::RealOfTwo(Op op) {
    if (is_rounded_again(info(op))) wide_ = info(op).real.wide_of_two;
    if (wide_ == nullptr) whole_ = of_row(op, info(op).real.whole_of_two, "real");
}

bool compare(Op op, double a, double b) { return of_row(op, info(op).compare, "comparison")(a, b); }

bool compare(Op op, std::int64_t a, std::int64_t b) {
    return of_row(op, info(op).compare_integers, "comparison of integers")(a, b);
}

Complex complex_function(Op op, Complex x) { return of_row(op, info(op).complex.one, "complex")(x); }

Complex complex_function(Op op, Complex a, Complex b) { return of_row(op, info(op).complex.two, "complex")(a, b); }

std::int64_t integer_function(Op op, std::int64_t x) {
    auto const function = info(op).integer.one;
    return function == nullptr ? x : function(x);
}

std::int64_t integer_function(Op op, std::int64_t a, std::int64_t b) {
    return of_row(op, info(op).integer.two, "integer")(a, b);
}

}  // namespace ein::scalar
