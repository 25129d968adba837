// Fits every kernel call into the memory of a device: blocks come and go there, but those of one call must be there
// together, so labels are sliced into more and smaller calls until they are.
// Example: a call needs 12 GiB of 8; with twice as many calls a node it needs 7: sliced once.
#pragma once

#include "planner/optimizer/search.hpp"

namespace ein::planner::optimizer {

/// @param first  what fits in the host's memory
Answer fit_device(Search& search, Chosen first);

}  // namespace ein::planner::optimizer
