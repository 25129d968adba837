// The join of an EinSum as a chain over which its aggregation distributes: f0(x0) * f1(x1) * ... * constant for a sum,
// + for min, max and logsumexp, && and || for any and all, min and max for each other. Such an EinSum may be contracted
// pairwise. Example: "conj(x)*y*z*2" with agg sum is the chain of mul with factors (conj(x), x, x) and constant 2.
#pragma once

#include <optional>
#include <vector>

#include "lib/graph/einsum.hpp"

namespace ein::graph {

struct JoinChain {
    scalar::Op op = scalar::Op::mul;
    std::vector<scalar::Expr> factors;  // of each operand, as an expression of operand 0
    scalar::Expr constant;              // empty when there is none

    /// left op right, where an empty one is left out.
    scalar::Expr combine(scalar::Expr left, scalar::Expr right) const;
};

/// @return nothing when the join is no such chain, mentions an operand not at all or together with another one, or
/// reads [index]
std::optional<JoinChain> as_chain(EinSum const& einsum);

}  // namespace ein::graph
