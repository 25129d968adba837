// The loops of scatter_kernel.hpp: rows, or single elements, are combined in the order of their positions. Compiled for
// each instruction set. Example: add_rows(sums, 2, {data, {0, 16}, 2, 0}) of f64 adds the two numbers at data and the
// two at data + 16.
#pragma once

#include <cstddef>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/agg.hpp"

namespace ein::executor {

/// Rows `step` bytes apart that go to the rows of a table that positions name.
struct ScatteredRows {
    std::byte const* data;
    Extent step;
    Extent const* rows;
    Extent count;
};

/// What positions name, whole vectors a row; a row that is not in [0, length) is left out.
struct ScatterTable {
    std::byte* sums;
    Extent length, row_bytes;
};

/// Rows of one result in the order of their positions.
struct RowsInOrder {
    std::byte const* data;
    Extent const* order;    // where rows begin, bytes from `data`
    Extent count, further;  // rows of it, and those that follow: these are asked for
};

struct ScatterLoops {
    /// sums[j] += the j-th number of each row, one row after another.
    void (*add_rows)(std::byte* sums, Extent width, RowsInOrder const& rows) = nullptr;
    /// The same of rows that may be read, and sums that may be written, as far as whole vectors of 64 bytes go.
    void (*add_whole_vectors)(std::byte* sums, Extent width, RowsInOrder const& rows) = nullptr;
    /// sums[rows[k]] += values[k], of the type of sums; a row that is not in [0, length) is left out
    void (*add_at)(std::byte* sums, Extent length, Extent const* rows, std::byte const* values, Extent count) = nullptr;
    /// The same of rows of the type of sums, that are read as far as rows of the table go.
    void (*add_to_table)(ScatterTable const& table, ScatteredRows const& rows) = nullptr;
    /// sums[j] += more[j]: so many bytes, whole elements
    void (*merge)(std::byte* sums, std::byte const* more, Extent bytes) = nullptr;
};

/// Bytes of a row of a table, of a row of so many bytes: one to a few vectors.
constexpr Extent table_row_bytes(Extent bytes) { return bytes <= 16 ? 16 : bytes <= 32 ? 32 : (bytes + 63) / 64 * 64; }

/// For `+=` whatever combines two results: null where no loop was made for these. Integers wrap.
ScatterLoops scatter_loops(scalar::Agg agg, DType data, DType sums);

namespace baseline {
ScatterLoops scatter_loops(scalar::Agg agg, DType data, DType sums);
}
namespace avx2 {
ScatterLoops scatter_loops(scalar::Agg agg, DType data, DType sums);
}
namespace avx512 {
ScatterLoops scatter_loops(scalar::Agg agg, DType data, DType sums);
}

}  // namespace ein::executor
