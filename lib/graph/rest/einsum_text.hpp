// An EinSum as a graph file writes it: its subscripts in letters where they say all, else in lists, with the order of
// the labels where it is not that in which they come; its join as text.
// Example: labels (i, j, k), inputs ((0, 1), (1, 2)), output (0, 2) is "ij,jk->ik".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json_fwd.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// What a file may call the labels: their own names, but for those that the format does not take.
std::vector<std::string> written_labels(EinSum const& einsum);

/// A string or {"in": ..., "out": ..., "labels": ...}
Json subscripts_json(EinSum const& einsum);

/// The other keys of a node: "join", "agg", "dtype", "compute", "sizes", "path", where they are not what a file that
/// lacks them means.
/// @throws InputError for a join that is too long to be written
Json einsum_keys(EinGraph const& graph, Node const& node);

/// What a join calls its operands and must therefore mean them alone: names of params and numbers in it.
std::vector<std::string> names_in(EinSum const& einsum);

}  // namespace ein::graph
