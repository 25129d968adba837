// The types that an expression runs in. All operands have one type, the compute type (see compute_dtype); numbers, [i]
// and params are weak, as Python's numbers are in NumPy 2: they take the type of what they meet. Comparisons and logic
// give bool. Integer / integer and sqrt, exp, ... of integers give f64. abs, real and imag of complex are real.
// Example: with f32 operands "x * [i] / 2" is f32; with i32 operands "x / 2" is f64 and "x * 2" is i32.
#pragma once

#include <optional>
#include <string>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// The type of an expression's value, or what is wrong with it (ordering complex numbers, floor of complex, ...).
struct TypeResult {
    DType type = DType::f32;
    std::string problem;  // empty when there is none; a phrase such as "'<' of complex numbers (they have no order)"
    Node const* where = nullptr;  // the node of the expression that the problem is about
};

/// @param compute  the type of every operand: f32, f64, c64, c128, an integer type or bool (never f16, bf16)
/// @param weak     the type of an expression that has weak leaves only: the EinSum's output type, as compute type
TypeResult type_of(Expr const& expr, DType compute, DType weak);

/// Folds constants, drops multiplications by one, subtractions of zero, and the like (rewrite_rules.hpp). Changes no
/// bit of a result: 0 * x stays, as does x + 0 of reals. Holds for operands of every type, so x * 1 stays (of bools it
/// is i64).
Expr simplify(Expr const& expr);

/// The same for operands of one type, which allows more: with f32 operands x * 1 is x.
Expr simplify(Expr const& expr, DType compute);

}  // namespace ein::scalar
