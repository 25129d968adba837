// How many ranks would do where nothing fits, or only with blocks on disk: a proposal for the user, found by searching
// few of the variants on each number of ranks. Example: 2 ranks are too few, 4 and 8 as well, 16 do; then 12 do, 10 do
// not, 11 do: 11.
#pragma once

#include "planner/optimizer/search.hpp"

namespace ein::planner::optimizer {

/// A number of ranks with which the budget is kept: doubled until one does, then halved in between.
/// @param most_calls  kernel calls of a plan that is made for this
/// @return 0 where none was found, or none may be proposed
int enough_ranks(Search& search, Choices const& choices, double most_calls);

}  // namespace ein::planner::optimizer
