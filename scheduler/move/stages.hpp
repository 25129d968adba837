// The geometry of exchanges in stages: members of a group hold one cell each of a grid and all want all of it (an all-gather), or hold all
// and want one cell each of the sum (a reduce-scatter, the same stages backwards). In a stage a few members that differ in one digit of
// their cell's index exchange what they have, so that a group of g sends about 3 log4(g) messages a member instead of g - 1; the
// bytes are the same. Knows cells only; ranks and tasks are in spread.cpp and combine.cpp.
// Example: 16 cells in a row: members 4k .. 4k+3 exchange cells; then k, k+4, k+8, k+12 exchange runs of 4.
// Source: recursive doubling and halving; Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005.
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
};

/// The grid that these boxes are the cells of; nothing when they are no grid.
std::optional<CellGrid> grid_of(std::span<Box const> boxes);

/// The same grid with neighbouring cells put together until there are no more than `most`, evenly along each axis.
CellGrid coarser(CellGrid const& grid, std::int64_t most);

struct Stage {
    std::size_t axis = 0;
    std::int64_t width = 1;   // cells of a run before the stage
    std::int64_t factor = 1;  // members that exchange, and by what runs grow
};

/// From cells to the whole grid, last axis first.
std::vector<Stage> stages_of(Parts const& counts);

/// The linear numbers (C order) of the members that exchange with the member of cell `index`, itself among them, by their runs.
std::vector<std::size_t> peers(Parts const& counts, std::vector<Extent> index, Stage const& stage);

}  // namespace ein::scheduler
