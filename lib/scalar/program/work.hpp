// How long a program takes beside one that adds: what predictions count. Each part that is shared counts once; a power
// counts what it is computed by; divisions and roots go on beside all else. Example: of f32, exp(x - y)^2 takes 12
// simple operations: one, ten and one; so does exp(x - y)^2/z.
#pragma once

#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// Simple operations of f32, of one element.
double work_of(Expr const& expr, DType compute);

}  // namespace ein::scalar
