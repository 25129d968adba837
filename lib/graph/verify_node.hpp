// What is wrong with one node of a graph, for verify: labels, shapes, types and regions must fit its inputs and its
// output.
#pragma once

#include <string>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// A phrase, or "" when nothing is wrong. The node's values must exist.
std::string problem_of(EinGraph const& graph, Node const& node);

}  // namespace ein::graph
