// A box cut into a grid of cells, along each axis where it is cut at all: what the members of a group hold or want of a
// region.
// Example: 7 x 10 in 3 x 4 cells has the edges {0, 3, 5, 7} and {0, 3, 6, 8, 10}.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/base/partition.hpp"

namespace ein::scheduler {

/// Cells of a box.
struct CellGrid {
    std::vector<std::vector<Extent>>
        edges;  // along each axis, increasing: where cells begin, and at last where they end

    Parts counts() const;
    /// The run of `widths` cells along each axis that begins at a multiple of the width and has cell `index` in it.
    Box run(std::span<Extent const> index, Parts const& widths) const;
    /// Cell number `linear`, in C order.
    Box cell(std::size_t linear) const;
};

/// The grid that these boxes are the cells of; nothing when they are no grid.
std::optional<CellGrid> grid_of(std::span<Box const> boxes);

/// The same grid with neighbouring cells put together until there are so many along each axis: as evenly as can be.
/// @param counts  1 to as many as there are
CellGrid coarser(CellGrid const& grid, Parts const& counts);

}  // namespace ein::scheduler
