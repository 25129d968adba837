// What einplan says of nodes that sum up more than is read of them: only a diagonal of their result is.
// Example: K of "ij,kj->ik" whose one reader is "ii->" computes n^2 sums, of which n are read; "ij,ij->i" makes these.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::apps {

/// For each such node a sentence that says who reads it and what computes the diagonal alone.
std::vector<std::string> diagonal_notes(graph::EinGraph const& graph);

}  // namespace ein::apps
