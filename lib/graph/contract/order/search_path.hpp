// The best order that a given amount of work finds: greedy draws, elimination of labels and bisections first, the best
// of them annealed, and what comes out made optimal part by part.
// Work is counted, not timed, so that the same network has the same order on every machine.
// Example: a lattice of 20 x 20 operands: after 1e9 units (about a second) an order of a tenth of greedy's operations.
#pragma once

#include "lib/graph/contract/network.hpp"

namespace ein::graph {

/// @param work  in units of about a nanosecond of one core
SsaPath search_path(Network const& network, double work);

}  // namespace ein::graph
