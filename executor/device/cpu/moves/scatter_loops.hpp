// The loops of scatter_kernel.hpp: rows, or single elements, are added in the order of their positions. Compiled for
// each instruction set. Example: add_rows(sums, 2, data, {0, 16}, 2) of f64 adds the two numbers at data and the two
// at data + 16.
#pragma once

#include <cstddef>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"

namespace ein::executor {

struct ScatterLoops {
    /// sums[j] += the j-th number of each row, one row after another. @param order  where rows begin, bytes from `data`
    void (*add_rows)(std::byte* sums, Extent width, std::byte const* data, Extent const* order, Extent count) = nullptr;
    /// sums[rows[k]] += values[k], of the type of sums; a row that is not in [0, length) is left out
    void (*add_at)(std::byte* sums, Extent length, Extent const* rows, std::byte const* values, Extent count) = nullptr;
};

/// Null where no loop was made for these types. Sums of integers wrap.
ScatterLoops scatter_loops(DType data, DType sums);

namespace baseline {
ScatterLoops scatter_loops(DType data, DType sums);
}
namespace avx2 {
ScatterLoops scatter_loops(DType data, DType sums);
}
namespace avx512 {
ScatterLoops scatter_loops(DType data, DType sums);
}

}  // namespace ein::executor
