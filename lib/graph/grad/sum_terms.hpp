// Adds up the terms of one cotangent in as few nodes as there can be: terms without aggregation are added in one join,
// moves into places that do not overlap are one move (so the gradient of slices is a concat), and only what is left has
// nodes of its own. Example: dP*P and d*exp(x - m), the terms of x under a softmax, are one EinSum with the join x*y +
// z*exp(x3 - x4).
#pragma once

#include <optional>

#include "lib/graph/grad/gradient_nodes.hpp"

namespace ein::graph::grad {

/// The sum as one term; nothing where there are none. Nodes that it reads are added to `nodes`, named after `of`.
std::optional<Term> sum_of(GradientNodes& nodes, ValueId of, std::vector<Term> terms);

}  // namespace ein::graph::grad
