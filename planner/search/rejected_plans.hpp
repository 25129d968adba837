// What the planner could have done instead: for each node the best other ways to cut it, its neighbours staying as they
// are planned. Any plan can be asked about, one that was read from a file too; then an alternative may cost less than
// what was planned. Example: matmul of 1024-cubes on 8 calls, planned (2, 2, 2) for 5,242,880 elements: (2, 1, 4) would
// cost 6,291,456.
#pragma once

#include <vector>

#include "planner/costs/cost.hpp"

namespace ein::planner {

/// A way to cut one node, and what it costs: the node, the edges into it, and those to its readers (all of them as
/// repart).
struct Option {
    Parts parts;
    relation::Cost elements, bytes;
};

struct RejectedPlans {
    Option planned;
    std::vector<Option> rejected;  // the cheapest in bytes first; among equals the order of preference
    std::int64_t candidates = 0;   // ways that were considered
};

/// @param most  rejected ones that are reported of each node
std::vector<RejectedPlans> rejected_plans(graph::EinGraph const& graph, relation::Plan const& plan,
                                          std::size_t most = 3);

}  // namespace ein::planner
