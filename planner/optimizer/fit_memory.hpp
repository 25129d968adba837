// Fits a schedule into the memory of a rank: as chosen, else the best variant of the first tier in which one fits, else
// spilled to disk.
// Leaves the memory of devices to fit_device.hpp.
// Example: budget 10, peaks 12 as chosen, 11 in another order, 9 and 8 by two placers: of those two the one that moves
// less.
#pragma once

#include <variant>

#include "planner/optimizer/search.hpp"

namespace ein::planner::optimizer {

/// Without a budget: the schedule of `choices`.
std::variant<Chosen, NothingFits> fit_memory(Search& search, Choices const& choices);

}  // namespace ein::planner::optimizer
