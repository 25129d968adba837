// Products of two operands under a condition that labels of one of them decide: where(c, x*y, 0) is where(c, x, 0)*y,
// but where y is infinite or nan beside a 0. Says what may be multiplied; whoever does looks whether the other operand
// is finite. Example: sum over j of where([i] >= [j], 2*x[i, j]*y[j, k], 0) has the masked side where([i] >= [j], 2*x,
// 0) with axes (i, j), and the other operand is y.
#pragma once

#include <optional>
#include <vector>

#include "lib/graph/einsum.hpp"

namespace ein::graph {

struct MaskedProduct {
    scalar::Expr masked;    // of any operands but `other`
    std::vector<int> axes;  // labels of it
    int other = 0;          // the operand that it is multiplied with
};

/// @return nothing for other joins, and for aggregations that zeros of either sign change
std::optional<MaskedProduct> as_masked_product(EinSum const& einsum, DType compute);

}  // namespace ein::graph
