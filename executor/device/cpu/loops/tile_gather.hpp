// Vector tiles of rows that lie anywhere, brought together: rows and elements that stand for many are repeated.
// Example: of 4-byte elements a b, gather_tile(4, from, {2, 4}, {3, 0}, to) gives a a a b b b.
#pragma once

#include <cstddef>

#include "lib/base/box.hpp"

namespace ein::executor {

/// So many, so many bytes apart.
struct TileAxis {
    std::size_t count;
    Extent step;
};

/// Element (r, c) at from + r * rows.step + c * columns.step becomes element r * columns.count + c of `to`.
/// @param size  bytes of an element: 1, 2, 4, 8 or 16
void gather_tile(std::size_t size, std::byte const* from, TileAxis rows, TileAxis columns, std::byte* to);

/// Whether a vector tile is better gone over row by row than brought together: its rows are long, and no single run.
bool is_of_long_rows(std::size_t size, TileAxis rows, TileAxis columns);

/// As gather_tile, but elements that lie so already stay where they are.
/// @return where they are: `from` or `to`
std::byte const* side_by_side(std::size_t size, std::byte const* from, TileAxis rows, TileAxis columns, std::byte* to);

}  // namespace ein::executor
