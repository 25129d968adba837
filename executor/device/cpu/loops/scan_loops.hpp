// The loops of scan_kernel.hpp, compiled for each instruction set: columns that lie side by side, whose terms come one
// row after another. Every column is combined in the order of its rows, so results are the same bits in every set.
// Sums of f32 run in f64, those of f64 keep what rounding drops; integers wrap. Leaves halves, and where rows come
// from, to the kernel. Example: of the rows (1, 4), (2, 5), (3, 6) the sums are (1, 4), (3, 9), (6, 15).
#pragma once

#include <cstddef>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/agg.hpp"

namespace ein::executor {

/// Rows of columns in memory; steps from row to row in bytes. The output may lie on the terms.
struct ScanBlock {
    std::byte const* from;
    Extent from_step;
    std::byte* to;  // null: nothing is written
    Extent to_step;
    Extent rows, columns;
};

/// What the terms of one column give, as a scan keeps it.
struct ScanTotal {
    double held[2];
};

/// The columns' totals between calls: two planes of `columns` elements of 8 bytes each; of complex products 16 bytes.
struct ScanLoops {
    static constexpr Extent state_bytes = 16;  // a column
    Extent parts = 0;                          // columns of the loops for one of the caller's; 0: there are no loops
    void (*start)(std::byte* state, Extent columns) = nullptr;
    void (*run)(ScanBlock const& block, std::byte* state) = nullptr;
    /// What outputs are so far.
    void (*show)(std::byte const* state, std::byte* to, Extent columns) = nullptr;
    /// Totals of which `adjacent` lie side by side, those of the next columns `step` further; and back.
    void (*load)(std::byte* state, Extent columns, ScanTotal const* from, Extent adjacent, Extent step) = nullptr;
    void (*save)(std::byte const* state, Extent columns, ScanTotal* to, Extent adjacent, Extent step) = nullptr;
    void (*add)(ScanTotal& to, ScanTotal const& further) = nullptr;
    /// Of adjacent terms of one column, 32 of them at a time. Null where a column has several parts.
    void (*total)(std::byte const* from, Extent terms, ScanTotal& to) = nullptr;
};

/// @param type  of terms and outputs: f32, f64, c64, c128, a whole number or bool
/// @return no loops for logsumexp, halves, and the least and greatest of complex numbers
ScanLoops scan_loops(scalar::Agg agg, DType type);

namespace baseline {
ScanLoops scan_loops(scalar::Agg agg, DType type);
}
namespace avx2 {
ScanLoops scan_loops(scalar::Agg agg, DType type);
}
namespace avx512 {
ScanLoops scan_loops(scalar::Agg agg, DType type);
}

}  // namespace ein::executor
