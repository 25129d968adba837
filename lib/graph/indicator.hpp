// Comparisons of an operand with a label, y == [v], as what they are in sums: one of its values is chosen, the others
// add 0 times an element, or nothing. Leaves to whoever uses it to look whether those elements are finite.
// Example: sum over v of (y[i] == [v])*x[v, d] is x[y[i], d] wherever x has neither nan nor infinity: a one-hot
// product.
#pragma once

#include <optional>

#include "lib/graph/einsum.hpp"

namespace ein::graph {

/// Sum of (y == [v])*x, the comparison a truth value or 1 and 0.
struct IndicatorProduct {
    EinSum chosen;  // sum of where(y == [v], x, 0), a lookup or scatter: the same where x is finite
    int data = 0;   // the operand x
};
std::optional<IndicatorProduct> as_indicator_product(EinSum const& einsum);

/// Sum of y == [v] over labels of y, all of them or some, v in the output: how often y has each value.
struct Count {
    int label = 0;  // v
};
std::optional<Count> as_count(EinSum const& einsum);

/// as_lookup and as_scatter, of the product's chosen form too: what a kernel of it costs.
std::optional<Lookup> looks_up(EinSum const& einsum);
std::optional<Lookup> scatters(EinSum const& einsum);

/// The label v of y == [v], a join of one operand, of nothing else.
std::optional<int> indicated_label(scalar::Expr const& join);

}  // namespace ein::graph
