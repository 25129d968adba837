// A part of an EinSum's join as an EinSum of its own, and what of the whole it depends on.
// Example: of sum over j of where([i] >= [j], x[i, j]*y[j, k], 0) the step of where([i] >= [j], x, 0) is
// "ij->ij" with that join and the operand 0.
#pragma once

#include <span>
#include <vector>

#include "lib/graph/einsum.hpp"

namespace ein::graph {

/// An EinSum of some of another one's operands. Its labels have the names that they have there.
struct JoinStep {
    EinSum einsum;
    std::vector<int> operands;
    std::vector<int> labels;  // of the other EinSum, by label of this one
};

/// Labels that a part of the join depends on, in the EinSum's order.
std::vector<int> labels_that_decide(EinSum const& einsum, scalar::Expr const& part);

/// How many points labels have: of the whole EinSum, or where each label is as long as `lengths` says.
double points_of(EinSum const& einsum, std::vector<int> const& labels);
double points_of(std::vector<int> const& labels, std::span<Extent const> lengths);

/// Axes of a part: in the order in which they lie in an operand that has them all.
std::vector<int> axes_of_part(EinSum const& einsum, scalar::Expr const& part, std::vector<int> const& labels);

/// An expression of some of the operands as an EinSum of those alone, with those labels alone that it has.
JoinStep step_of(EinSum const& einsum, scalar::Expr const& part, std::vector<int> const& output, scalar::Agg agg);

/// What a join links by an operation, left to right. x - y is x + (-y).
/// Example: links_of(x*y*2, Op::mul) are x, y and 2.
std::vector<scalar::Expr> links_of(scalar::Expr const& join, scalar::Op op);

}  // namespace ein::graph
