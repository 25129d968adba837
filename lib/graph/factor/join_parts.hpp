// Which parts of an EinSum's join are worth a node of their own, and the EinSums that it then becomes. Values alone;
// leaves graphs to factor_joins.hpp. Example: of sum over j of exp(x[i, j] - y[i])*z[j, k] the part is exp(x - y), and
// the rest the product of it and z.
#pragma once

#include <optional>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/graph/join_step.hpp"

namespace ein::graph {

/// The several EinSums that one becomes. Operands are those of the whole; from their number on, parts in order.
struct JoinParts {
    std::vector<JoinStep> parts;
    JoinStep rest;
};

/// Parts without an aggregation, which the rest reads in the compute type.
/// @return nothing where no part is worth it
std::optional<JoinParts> parts_of_join(EinSum const& einsum, DType compute);

/// Of where(c, a, constant) whose condition no aggregated label changes: the aggregation of `a`, and what chooses
/// between that and the constant. @return nothing for any other join, and where `a` is no product of two operands
std::optional<JoinParts> choice_after_aggregation(EinSum const& einsum, DType compute);

}  // namespace ein::graph
