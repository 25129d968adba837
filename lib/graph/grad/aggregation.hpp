// dZ/djoin of the aggregations: from the cotangent of Z = agg join to that of the join, for every element that is
// aggregated. sum: dZ. max and min: dZ for the elements that equal Z, in equal parts where there are several (as
// PyTorch's amax). logsumexp: dZ exp(join - Z). prod: dZ times the product of the others, also where elements are 0:
// with one 0 only that one has a cotangent other than 0. (Second derivatives of prod are right where at most one
// element is 0.) Example: of (2, 0, 5) under prod: (0, 10, 0) dZ.
#pragma once

#include "lib/graph/grad/gradient_nodes.hpp"
#include "lib/graph/grad/join_frame.hpp"

namespace ein::graph::grad {

/// The cotangent of the join as an expression over `frame`, to which what it reads is added.
/// @param node       its EinSum's join is `join`, or that with other names for the same operands
/// @param cotangent  of the node's value, over `frame`
scalar::Expr cotangent_of_join(GradientNodes& nodes, JoinFrame& frame, Node const& node, scalar::Expr const& join,
                               DType join_dtype, scalar::Expr const& cotangent);

}  // namespace ein::graph::grad
