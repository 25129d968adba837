// Two operands that meet in another way than is hardly meant, for notes: elements that were to be taken in pairs and
// are taken each with every other, because axes of extent 1 broadcast or labels differ, and a mean that is taken from
// columns in place of rows, which squares let pass. What broadcasting NumPy's users get wrong silently is said once.
// Example: a vector (4,) less a column (4, 1) is a matrix (4, 4).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/graph/read/node_context.hpp"

namespace ein::graph {

/// Of the two inputs of a node whose axes broadcast, aligned on the right. @param result  their common shape
std::vector<std::string> broadcast_suspicions(NodeContext const& context, Shape const& result);

/// Of an EinSum node that was read (context.written): the same where its axes broadcast, and operands without a label
/// in common that are summed over all their pairs.
std::vector<std::string> pair_suspicions(NodeContext const& context);

}  // namespace ein::graph
