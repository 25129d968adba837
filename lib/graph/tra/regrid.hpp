// Brings the arrays of blocks into another grid: filters, key functions, and what joins and aggregations of relations
// with holes pair. Where each position of the old grid is start + step * one position of the new one, labels are
// renamed (a diagonal: two become one) and operands sliced. Otherwise the grid is flattened and its arithmetic runs are
// moved; where there are very many runs the arrays are looked up, as gather does. Example: σ([k0] == [k1]) of a 4 x 4
// grid takes cells (0, 5, 10, 15): both old labels become the new one, nothing is moved.
#pragma once

#include "lib/graph/tra/blocks.hpp"

namespace ein::graph {

/// For each cell of a grid, in C order, the cell of another one; -1 for none.
using Cells = std::vector<Extent>;

/// The blocks in a grid of `counts`; elements without a cell are `fill`.
Blocks regrid(BlockBuilder& builder, Blocks blocks, Shape const& counts, Cells const& cells,
              std::optional<scalar::Scalar> const& fill = {});

/// The cells in which a grid of `counts` has its own cells' parts: begin + position along each axis.
Blocks cut_grid(BlockBuilder& builder, Blocks blocks, Shape const& counts);

}  // namespace ein::graph
