// The loops of gather_kernel.hpp: positions become offsets, elements are read with them. Compiled for each instruction
// set. Example: positions 2 0 of columns one apart, of a block that begins at position 0, give the offsets 2 0.
#pragma once

#include <cstdint>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"

namespace ein::executor {

using Offset = std::int32_t;  // in elements; -1 where another block has the element

/// So many outputs: bytes from position to position, and elements of the data from one to the next.
struct PositionAxis {
    Extent count, positions, data;
};

struct PositionTile {
    std::byte const* positions;
    DType type;  // an integer's
    PositionAxis rows, columns;
    Extent first, length,
        data_step;  // of the label that positions choose along: what is here, elements from one to one
};

/// Short rows of the data, each where its position says; 0 where another block has them. Steps in bytes.
struct RowsByPosition {
    static constexpr Extent longest = 256;  // bytes of a row
    std::byte const* positions;
    DType type;  // an integer's
    Extent position_step;
    Extent first, length;  // of the label that positions choose along: what is here
    std::byte const* data;
    Extent data_step, row_step;  // from one position's data to the next one's; from row to row that they choose among
    std::byte* to;
    Extent to_step;
    Extent row_bytes, count;
};

struct GatherLoops {
    /// @return whether all elements are here
    bool (*find)(PositionTile const& tile, Offset* offsets);
    /// @param absent  the element that stands for those of other blocks; null where there are none
    void (*gather)(std::size_t size, std::byte const* from, Offset const* at, Extent count, std::byte const* absent,
                   std::byte* to);
    void (*copy_rows)(RowsByPosition const& rows);
};

namespace baseline {
GatherLoops gather_loops();
}
namespace avx2 {
GatherLoops gather_loops();
}
namespace avx512 {
GatherLoops gather_loops();
}

}  // namespace ein::executor
