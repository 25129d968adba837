// The default: the best of all plans that are known, on all ranks or fewer, and what a local search makes of it.
// Plans are looked at in the order of their bounds, first with one placement each; those that come near the best are
// scheduled with every placement. What cannot be better than what is there already is not scheduled at all. How much
// is looked at is counted in tasks, and grows with the time that the run is predicted to take: no second is spent to
// gain a microsecond, no clock is read.
// Example: 4 ranks, 12 plans: 9 differ, the bounds of 3 are above the time of the best, 2 come near it: 6 schedules
// with one placement, 2 with all.
#pragma once

#include "planner/optimizer/search.hpp"

namespace ein::planner::optimizer {

/// The best candidate of some choices. @param report  is told what was looked at
Candidate best_of_all(Search& search, Choices const& choices, SearchReport& report);

}  // namespace ein::planner::optimizer
