// The best of values, the least or the greatest, and the index at which it is first: the loops over vector tiles of
// register types, compiled once for each instruction set. Who keeps the accumulators begins with the identity of the
// aggregation and the first index of all, which stays where nothing is better. Example: rows of 4 values, the greatest:
// (1, 7, 7, 2) from index 10 on gives 7 and 11; a nan wins, the first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/agg.hpp"

namespace ein::executor {

struct BestLoops {
    /// best[c] with values[r][c] of each row in turn, whose index is `first` + r; rows lie `step` bytes apart.
    void (*columns)(void* best, std::int64_t* held, void const* values, std::ptrdiff_t step, std::size_t rows,
                    std::size_t columns, std::int64_t first) = nullptr;
    /// best[r] with values[r][c] for each c in turn, whose index is `first` + c.
    void (*rows)(void* best, std::int64_t* held, void const* values, std::size_t rows, std::size_t columns,
                 std::int64_t first) = nullptr;
    /// best[r][c] with values[r][k][c] for each of `terms` k in turn, whose index is `first` + k: so many that
    /// terms * columns is no more than longest_short_row. Of some types.
    void (*middle)(void* best, std::int64_t* held, void const* values, std::size_t rows, std::size_t terms,
                   std::size_t columns, std::int64_t first) = nullptr;
    std::size_t longest_short_row = 0;  // elements of rows of which several are looked at together
};

/// @param agg  min or max  @param type  the values' register type, a real or an integer
BestLoops best_loops(scalar::Agg agg, DType type);

enum class Better : std::uint8_t { less, greater };

namespace baseline {
BestLoops best_tile_loops(Better better, DType register_type);
}  // namespace baseline
namespace avx2 {
BestLoops best_tile_loops(Better better, DType register_type);
}  // namespace avx2
namespace avx512 {
BestLoops best_tile_loops(Better better, DType register_type);
}  // namespace avx512

}  // namespace ein::executor
