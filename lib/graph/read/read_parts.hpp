// "parts" of a graph file: into how many parts labels of a node are cut, whoever plans it.
// Example: {"Z": {"i": 4, "k": 2}} fixes two labels of the node Z and leaves its others free.
#pragma once

#include <functional>
#include <string>

#include "lib/base/json.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// What a name of "parts" stands for: a node's value, or why there is none to constrain.
struct ConstrainedValue {
    std::optional<ValueId> value;  // nothing: unknown, or it has faults of its own
    std::string found, mend;       // the fault to tell, if any
};

/// Writes Node::fixed of the nodes of `graph`. Several nodes of one macro: of the one that makes the value.
/// @param look_up  from the name of a node to its value
void read_parts(Cursor const& parts, EinGraph& graph,
                std::function<ConstrainedValue(std::string const&)> const& look_up);

}  // namespace ein::graph
