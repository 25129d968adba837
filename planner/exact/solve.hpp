// Solves a connected model: raises its lower bound until the best known assignment meets it or nothing more is gained,
// leaves out needless values, then searches the frontier with more and more states until nothing is dropped or the
// budget is spent.
#pragma once

#include <vector>

#include "planner/exact/budget.hpp"
#include "planner/exact/model.hpp"

namespace ein::planner {

struct Solution {
    std::vector<int> values;
    double cost = 0;
    double bound = 0;  // no assignment costs less; equal to `cost` when that is proven to be least
};

/// @param model  links lead from earlier to later variables  @param known  an assignment to begin with
/// @return `known` or something cheaper, by more than rounding
Solution solve(Model const& model, std::vector<int> known, Budget& budget);

}  // namespace ein::planner
