// A hash of what an expression says: equal expressions have equal hashes, however their nodes are shared.
// Example: x*2 and x*2 written again have one hash; x*3 has another.
#pragma once

#include <cstdint>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

std::uint64_t structure_hash(Expr const& expr);

}  // namespace ein::scalar
