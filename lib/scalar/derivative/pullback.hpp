// Reverse-mode derivatives of scalar expressions: from the cotangent of an expression's value to those of its operands.
// The cotangent of v is dL/dv for a real L; of a complex v it is dL/dRe(v) + i dL/dIm(v), so that v - eta*cotangent
// descends (as in PyTorch). A holomorphic f therefore pulls s back to s*conj(f'(v)), and what meets a complex value as
// a real one takes the real part. Example: pullback(x*y, f32, s, {true, true}) is {s*y, s*x}; of where(x > 0, log(x),
// 0) it is where(x > 0, s/x, 0), never 0*inf.
#pragma once

#include <vector>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// Whether a value of this type has a cotangent: reals and complex numbers do.
inline bool is_differentiable(DType type) { return kind(type) >= Kind::real; }

/// Which operands the expression's value depends on other than by steps: `floor(x) + y` on y alone.
/// @param compute  the type of every operand  @param operands  how many there are
std::vector<bool> differentiable_operands(Expr const& expr, DType compute, std::size_t operands);

/// The cotangent of each operand as an expression of the operands and of whatever `cotangent` mentions; empty where it
/// is zero for all values, or not wanted. Linear in the size of `expr`.
/// @param cotangent  of the value of `expr`; real where that is real
/// @param wanted     one an operand
/// @throws InputError when a cotangent is deeper than max_depth
/// Where a function has a corner: relu'(0) = 0, abs'(0) = sign(0) = 0, min and max of equal values give each half.
/// Rounding has slope 0, casts between floating types 1.
std::vector<Expr> pullback(Expr const& expr, DType compute, Expr const& cotangent, std::vector<bool> const& wanted);

}  // namespace ein::scalar
