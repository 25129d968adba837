// Whether two graphs are the same but for names, the order of nodes, and moves that are written as several.
#pragma once

#include <string>

#include "lib/graph/ein_graph.hpp"

namespace ein::test {

/// The first difference found from the outputs backwards, or "".
/// @param moves_split  counts moves of `a` that are others in `b`: what is before them is not compared
std::string graph_difference(graph::EinGraph const& a, graph::EinGraph const& b, int& moves_split);

}  // namespace ein::test
