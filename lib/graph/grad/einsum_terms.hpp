// The adjoint of an EinSum: what it adds to the cotangents of its operands.
// Z = agg join(x, y, ...) gives x the sum, over the labels that x lacks, of dZ * (dZ/djoin) * (djoin/dx), with djoin/dx
// from lib/scalar/pullback and dZ/djoin from the aggregation. Where the join is a product that is the transposed
// product. Example: "ij,jk->ik" gives its first operand "ik,jk->ij" of dZ and the second.
#pragma once

#include "lib/graph/grad/gradient_nodes.hpp"

namespace ein::graph::grad {

/// Whether the EinSum's value depends on operand k other than by steps.
std::vector<bool> differentiable_inputs(GradientNodes const& nodes, Node const& node);

/// @param cotangent  of the node's value  @param wanted  which inputs get terms
std::vector<Contribution> einsum_terms(GradientNodes& nodes, Node const& node, Cotangent const& cotangent,
                                       std::vector<bool> const& wanted);

}  // namespace ein::graph::grad
