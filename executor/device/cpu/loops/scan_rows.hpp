// Scans along memory, several rows at a time so that their additions overlap. Sums of f32 and of halves run in f64,
// those of f64 keep what rounding drops; integers wrap. Leaves shapes and threads to scan_kernel.hpp. Example: rows (1,
// 2, 3) and (4, 5, 6), offset 0: (1, 3, 6) and (4, 9, 15).
#pragma once

#include <cstddef>
#include <span>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/agg.hpp"

namespace ein::executor {

/// Output i combines the terms up to i + offset.
struct Scan {
    Extent outputs = 1, terms = 1, offset = 0;
    Extent in_step = 0, out_step = 0;  // bytes an index
};

/// The terms first, ..., last - 1 of a row, and the outputs that end among them.
struct ScanRow {
    std::byte const* from = nullptr;  // term 0
    std::byte* to = nullptr;          // output 0
    Extent first = 0, last = 0;
    bool is_first = true, is_last = true;  // of the row
    double carried[2] = {0, 0};            // what terms before give, as the scan keeps it
    double total[2] = {0, 0};              // what its own terms give
};

struct ScanRows {
    static constexpr Extent most_rows = 4;  // more streams, 16 KiB apart, would not stay in the first cache
    void (*run)(std::span<ScanRow> rows, Scan const& scan) = nullptr;     // at most so many; null: there is none
    void (*totals)(std::span<ScanRow> rows, Scan const& scan) = nullptr;  // where rows are in several parts
    void (*carry)(ScanRow const* before, ScanRow& row) = nullptr;         // before: the part before, or null
};
/// @param type  of terms and results in memory: halves are combined as f32, others as they are
/// @return none but for sum, prod, min and max of reals and integers
ScanRows scan_rows(scalar::Agg agg, DType type);

}  // namespace ein::executor
