// Runs an expression of the implementation algebra on s sites in one process: the reference for rules, types and costs.
// Each site holds tuples of its own; only BCAST and SHUF look at those of another.
#pragma once

#include "lib/algebra/tensor_relation.hpp"
#include "scheduler/ia/expression.hpp"

namespace ein::ia {

struct Run {
    std::vector<std::vector<tra::Tuples>> results;  // for each root the tuples at each site
    double sent = 0;                                // numbers, as cost() counts them
};

/// @throws InternalError where a relation is not where its type says
Run run(std::vector<Expr> const& roots, std::map<std::string, tra::TensorRelation> const& inputs);

/// The relation that the sites hold together. @throws InternalError when sites hold different arrays under one key
tra::TensorRelation together(Type const& type, std::vector<tra::Tuples> const& at_sites);

}  // namespace ein::ia
