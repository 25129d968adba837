// Whether a graph that is written and read again is the same, and gives the same bits.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::test {

/// @return how many of its moves became several
int check_same(graph::EinGraph const& graph);
void check_bits(graph::EinGraph const& graph);
/// The graph as it is read, and with its contractions lowered, which stay as they are.
/// @param bits  whether it is computed too
void check_text(graph::EinGraph const& graph, bool bits);

}  // namespace ein::test
