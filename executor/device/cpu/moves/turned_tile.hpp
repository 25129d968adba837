// Tiles of elements whose rows become columns: what transposes, and joins of operands in different orders, read with.
// A cache line of the operand is read once, whole; squares are turned in registers. Compiled for each instruction set.
// Example: turn_loop(4)({from, 400, to, 64, 16, 100, 0}): 16 rows of 100 f32, 400 bytes apart, become 100 rows of 16.
#pragma once

#include <cstddef>

#include "lib/base/box.hpp"

namespace ein::executor {

/// Element (row, column) of `from` becomes element (column, row) of `to`; steps from row to row in bytes.
struct TurnedTile {
    std::byte const* from;
    Extent from_step;
    std::byte* to;
    Extent to_step;
    Extent rows, columns;  // of `from`
    Extent ahead;          // bytes beyond each row's elements that are asked for meanwhile; 0: nothing
};

using TurnLoop = void (*)(TurnedTile const& tile);

/// @param size  bytes of an element: 1, 2, 4, 8 or 16
TurnLoop turn_loop(std::size_t size);

/// Rows that lie one behind the other, turned: columns lie so, too.
inline void turn_rows(std::size_t size, void const* from, std::size_t rows, std::size_t columns, std::byte* to) {
    turn_loop(size)({static_cast<std::byte const*>(from), static_cast<Extent>(columns * size), to,
                     static_cast<Extent>(rows * size), static_cast<Extent>(rows), static_cast<Extent>(columns), 0});
}

namespace baseline {
TurnLoop turn_loop(std::size_t size);
}
namespace avx2 {
TurnLoop turn_loop(std::size_t size);
}
namespace avx512 {
TurnLoop turn_loop(std::size_t size);
}

}  // namespace ein::executor
