// One operation's part in pullback.hpp: what the cotangent of y = op(a, b, ...) adds to that of one argument.
// Example: of y = a/b, to b: -(s*y)/b.
#pragma once

#include "lib/scalar/expression/expr.hpp"
#include "lib/scalar/expression/typing.hpp"

namespace ein::scalar {

/// Whether y changes smoothly with argument k: not so for comparisons, floor, a where()'s condition, casts to integers,
/// ...
bool passes(Expr const& y, std::size_t k, TypedExpr const& types);

/// The cotangent that argument k of y gets; `passes` must hold.
/// @param s  the cotangent of y
Expr pulled_back(Expr const& y, std::size_t k, Expr const& s, TypedExpr const& types);

/// a + b, where an empty one is zero.
Expr added(Expr const& a, Expr const& b);

/// s*f without needless factors. Inside where(c, s, 0) only s is multiplied: what is not chosen may be infinite.
Expr times(Expr const& s, Expr const& f);

}  // namespace ein::scalar
