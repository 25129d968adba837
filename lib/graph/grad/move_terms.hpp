// The adjoint of a Move: each input gets the cotangent of the region that it landed in, moved back, and 0 elsewhere. A
// region that was read with a step s > 1 is spread first: each element is followed by s - 1 zeros, with a reshape, a
// pad and a reshape. Example: y = x[1:5:2] gives x the terms (0, dy0, 0, dy1, 0, ...).
#pragma once

#include "lib/graph/grad/gradient_nodes.hpp"

namespace ein::graph::grad {

std::vector<Contribution> move_terms(GradientNodes& nodes, Node const& node, Cotangent const& cotangent,
                                     std::vector<bool> const& wanted);

}  // namespace ein::graph::grad
