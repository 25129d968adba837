// The loops of aggregation over vector tiles of register types, compiled once for each instruction set. The order in
// which values are combined depends on the counts alone, so every set and every number of threads gives the same bits.
// Leaves logsumexp to aggregator.hpp. Example: rows(acc, values, 2, 3) of sum adds v0+v1+v2 to acc[0] and v3+v4+v5 to
// acc[1].
#pragma once

#include <cstddef>

#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/agg.hpp"

namespace ein::executor {

struct TileAggregate {
    /// acc[i] = acc[i] op values[i]
    void (*combine)(void* acc, void const* values, std::size_t count) = nullptr;
    /// acc[r] = acc[r] op (values[r][0] op values[r][1] op ...), in a fixed order
    void (*rows)(void* acc, void const* values, std::size_t rows, std::size_t columns) = nullptr;
    /// acc[c] = acc[c] op values[0][c] op values[1][c] op ..., of rows that lie `step` bytes apart
    void (*columns)(void* acc, void const* values, std::ptrdiff_t step, std::size_t rows,
                    std::size_t columns) = nullptr;
    /// acc[r][c] = acc[r][c] op (values[r][0][c] op values[r][1][c] op ...), in this order
    void (*middle)(void* acc, void const* values, std::size_t rows, std::size_t terms, std::size_t columns) = nullptr;
    /// acc[at[i]] = acc[at[i]] op values[i], one after another
    void (*scatter)(void* acc, std::size_t const* at, void const* values, std::size_t count) = nullptr;
    /// Sums of reals and complex numbers alone: acc[i] + low[i] grows by values[i], or by the sum of each row, or
    /// that of at[i] by values[i], and nothing of it is lost to rounding. `settle` ends it: acc[i] = acc[i] + low[i].
    void (*add)(void* acc, void* low, void const* values, std::size_t count) = nullptr;
    void (*add_rows)(void* acc, void* low, void const* values, std::size_t rows, std::size_t columns) = nullptr;
    void (*add_scattered)(void* acc, void* low, std::size_t const* at, void const* values, std::size_t count) = nullptr;
    void (*settle)(void* acc, void const* low, std::size_t count) = nullptr;
};

/// @param type  that of the accumulator: its register type is what is combined
/// @return no functions for what has no such loop: logsumexp, and min and max of complex numbers
TileAggregate tile_aggregate(scalar::Agg agg, DType type);

/// Sums of narrower integers, register types both: `combine`, `rows` and `columns`, whose values are of `values`.
/// @return no functions for other types
TileAggregate widening_sums_of(DType values, DType accumulator);

/// The operations of the loops: bool sums are any, bool products all.
enum class TileOp { sum, prod, min, max, any, all };

namespace baseline {
TileAggregate tile_loops(TileOp op, DType register_type);
TileAggregate widening_sums(DType values, DType accumulator);
}  // namespace baseline
namespace avx2 {
TileAggregate tile_loops(TileOp op, DType register_type);
TileAggregate widening_sums(DType values, DType accumulator);
}  // namespace avx2
namespace avx512 {
TileAggregate tile_loops(TileOp op, DType register_type);
TileAggregate widening_sums(DType values, DType accumulator);
}  // namespace avx512

}  // namespace ein::executor
