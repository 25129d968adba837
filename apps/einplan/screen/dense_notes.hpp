// What einplan says of sparse tensors that are made dense.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::apps {

/// For each tensor that is made dense a sentence that says for which node, why, and how large it is.
std::vector<std::string> dense_notes(graph::EinGraph const& graph);

}  // namespace ein::apps
