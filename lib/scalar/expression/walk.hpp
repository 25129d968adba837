// The nodes of an expression in an order in which arguments come before their users, each shared node once.
// Walking this list instead of recursing keeps the stack flat: an expression may be 2000 operations deep.
// Example: of x*y + x it gives x, y, x*y, x*y + x.
#pragma once

#include <vector>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// Valid as long as `expr` is.
std::vector<Expr const*> arguments_first(Expr const& expr);

/// Whether it is made of numbers and params alone.
bool is_constant(Expr const& expr);

}  // namespace ein::scalar
