// Lookups in a sparse tensor (gather): where positions are dense integers, what is listed at other positions
// contributes nothing at all, so that the result lists for each position what is listed there. Example: rows 4 and 0 of
// A list what rows 4 and 0 of A list, not a zero for all that other rows have in a column.
#pragma once

#include <span>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// @param sparse  by operand  @return nothing for any other EinSum, or one that converts what it looks up
std::optional<Lookup> as_row_lookup(EinSum const& einsum, std::span<DType const> inputs, DType output,
                                    std::vector<bool> const& sparse);
bool is_row_lookup(EinGraph const& graph, Node const& node);

}  // namespace ein::graph
