// What is sound and yet hardly meant, for notes: nodes that no output needs, and einsums that newcomers write for
// others. Nothing here is a fault: a graph that has them is computed as it says.
// Example: "ij,jk,k->ik" with join "x*y + z" adds z once for each j, since a join is computed before the sum.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/read/declarations.hpp"
#include "lib/graph/read/node_context.hpp"

namespace ein::graph {

/// What one node may not mean, once it is read: an EinSum in context.written, or an op.
/// @param params  with their values in the file
std::vector<std::string> suspicions_of(NodeContext const& context, scalar::Params const& params);

/// Losses of the node, einsum or op, that count what a sparse tensor does not list.
std::vector<std::string> listed_suspicions(NodeContext const& context);

/// Masks before a softmax that leave out nothing. @param graph  as it is read
std::vector<std::string> mask_suspicions(EinGraph const& graph);

/// A note of the nodes, and one of the tensors, that no output needs; in loops, what nothing that is carried needs.
/// @param tensors  how many of the names are tensors'  @param outputs  numbers of names
std::vector<std::string> unneeded(std::vector<NodeDeclaration> const& nodes, Names const& names, std::size_t tensors,
                                  std::vector<std::size_t> const& outputs);

}  // namespace ein::graph
