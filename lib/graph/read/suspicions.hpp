// What is sound and yet hardly meant, for notes: nodes that no output needs, and einsums that newcomers write for
// others. Nothing here is a fault: a graph that has them is computed as it says.
// Example: "ij,jk,k->ik" with join "x*y + z" adds z once for each j, since a join is computed before the sum.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/read/declarations.hpp"
#include "lib/graph/read/node_context.hpp"

namespace ein::graph {

/// What one EinSum node may not mean, once it is read (context.written).
/// @param params  with their values in the file
std::vector<std::string> suspicions_of(NodeContext const& context, scalar::Params const& params);

/// A note of the nodes, and one of the tensors, that no output needs; in loops, what nothing that is carried needs.
/// @param tensors  how many of the names are tensors'  @param outputs  numbers of names
std::vector<std::string> unneeded(std::vector<NodeDeclaration> const& nodes, Names const& names, std::size_t tensors,
                                  std::vector<std::size_t> const& outputs);

}  // namespace ein::graph
