// Tensors of a graph that are sound and hardly meant: whole numbers that their type does not hold, random numbers that
// are all one.
// Example: {"shape": [2], "data": {"values": [1700000001, 1700000002]}} of f32 holds 1700000000 twice.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::apps {

/// @param text  of the graph, sound
std::vector<std::string> tensor_suspicions(graph::EinGraph const& graph, std::string const& text);

}  // namespace ein::apps
