// The ways in which files give an order of contraction, as opt_einsum's linear path in pairs. Steps of more than two
// operands are contracted from the left.
// Example: the tree [[0, 1], 2] and the SSA path [[0, 1], [3, 2]] are both ((0, 1), (0, 1)).
#pragma once

#include <optional>

#include "lib/base/json.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::apps::tool {

/// Numbers of operands and, from their count on, of results.
/// @return nothing, and a fault, for an order that does not use each of them once
std::optional<graph::Path> read_ssa_order(Cursor const& at, std::size_t operands);

/// Where trees have their leaves.
enum class TreeForm {
    lists,    // [[0, 1], 2]
    omeinsum  // {"args": [{"isleaf": true, "tensorindex": 1}, ...]}, indices from 1
};

/// @return as above; trees may be as deep as there are operands
std::optional<graph::Path> read_tree_order(Cursor const& at, std::size_t operands, TreeForm form);

}  // namespace ein::apps::tool
