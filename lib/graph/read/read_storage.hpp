// "sparse" of a node: how its result must be kept. Example: {"name": "C", "einsum": "ij,jk->ik", ..., "sparse": true}.
#pragma once

#include "lib/base/json.hpp"
#include "lib/graph/graph_builder.hpp"

namespace ein::graph {

/// @param value  that the node makes, or only names: then it has its storage already
void read_storage(Cursor const& node, ValueId value, GraphBuilder& builder);

}  // namespace ein::graph
