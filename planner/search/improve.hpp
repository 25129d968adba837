// Looks at an assignment of candidates again, node by node, every neighbour being known by now, and takes a cheaper
// candidate where there is one. What paths could not see - edges that leave a path and come back to it - is counted
// here. Example: x -> f -> g with an edge x -> g as well: a path x f g knows two of the three edges, this knows all.
#pragma once

#include <vector>

#include "planner/search/candidate_table.hpp"

namespace ein::planner {

/// Never makes the total dearer; stops when a sweep changes nothing, or after a few.
/// @param chosen  the candidate of every node
void improve(graph::EinGraph const& graph, CandidateTable const& table, std::vector<int>& chosen);

}  // namespace ein::planner
