// Values that no optimal assignment needs: where another value of the same variable costs no more whatever the
// neighbours have - the difference of the two, each link at the neighbour's class that favours the first one most, is
// not negative - the first can be left out.
// Example: of two candidates of a matmul with the same cuts outside, the dearer.
// Source: Goldstein, "Efficient rotamer elimination applied to protein side-chains and related spin glasses",
// Biophysical Journal 66, 1994.
#pragma once

#include "planner/exact/bound.hpp"

namespace ein::planner {

/// Excludes what costs `limit` or more above the bound, and what is dominated.
/// @return whether anything was excluded
bool exclude_needless(Model const& model, Bound& bound, double limit, Budget& budget);

}  // namespace ein::planner
