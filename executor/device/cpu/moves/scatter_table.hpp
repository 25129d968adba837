// Short rows, or few groups: all groups' results are one table in the second-level cache, and rows are combined with it
// in the order in which they lie in memory. Wide rows are cut into columns for threads; of narrow ones parts have
// tables of their own, which are combined in turn: as many as follow from the shape alone. Leaves large tables to the
// sorted way of scatter_kernel.hpp. Example: 300,000 rows of 12 into 129 groups: 16 tables of 129 x 16.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/moves/scatter_loops.hpp"
#include "executor/device/cpu/moves/scatter_positions.hpp"

namespace ein::executor {

/// What a scatter is made of, for all ways of running it.
struct ScatterTask {
    scalar::Agg agg;
    DType data, sums, output;
    Extent rows, width;         // of the table; elements of a row
    Extent row_step = 0;        // of the output, from row to row
    Extent column_step = 0;     // from column to column; 0: it is not the same everywhere
    Nest store;                 // a row of sums to the output: what loops store
    bool accumulate, in_order;  // in_order: positions are combined one after another, whatever the shape is
    alignas(16) std::byte identity[16];
    alignas(16) std::byte begin[16];  // what a row begins with that some position does not name
};

/// One launch of it.
struct ScatterCall {
    std::byte const* positions;
    std::byte const* data;
    std::byte* output;
    Extent first_row;      // of the block at hand
    Extent only_row = -1;  // that all positions name: it begins with the identity
};

class ScatterTables {
public:
    /// @return nothing where a table of all rows would leave the cache
    static std::unique_ptr<ScatterTables const> make(ScatterTask const& task, ScatterPositions const& positions);

    void launch(ScatterCall const& call, WorkerTeam& team) const;

private:
    ScatterTables(ScatterTask const& task, ScatterPositions const& positions, ScatterLoops const& loops,
                  Extent most_columns);
    Extent row_bytes(Extent columns) const;
    void begin(std::byte* table, Extent columns, std::byte const* element) const;
    void begin_row(std::byte* table, Extent columns, Extent row) const;
    void add(ScatterCall const& call, std::byte* table, Extent column, Extent columns, Extent first, Extent last) const;
    void store(ScatterCall const& call, std::byte const* table, Extent column, Extent columns) const;

    ScatterTask task_;
    ScatterPositions positions_;
    ScatterLoops loops_;
    Extent most_columns_;
    std::int64_t parts_ = 1;
};

}  // namespace ein::executor
