// The order of a nest's loops: which label runs along vector tiles, which is cut into tiles of outputs whose
// accumulators stay in the cache, and how the whole is cut into pieces for threads. A function of the nest alone, never
// of the number of threads. Leaves computing to loop_kernel.hpp. Example: "ij->j" runs vector tiles along j, keeps
// 16384 accumulators, and has i outside the vector tiles: rows are streamed.
#pragma once

#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

struct LoopPlan {
    /// One loop: over `label`, `block` indices at a time. A label may be cut twice before it reaches a vector tile.
    struct Level {
        std::size_t label = 0;
        Extent block = 1;
        Extent tile_stride = 0;  // accumulators from one index to the next
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::size_t inner = none;  // the label along a vector tile; none for a single element
    std::size_t outer = none;  // a second label of a vector tile, where the first is short: whole rows of `inner`
    /// A third one, aggregated, where it lies between the two in every operand and both are the output's.
    std::size_t middle = none;
    /// The label along which an operand lies that vector tiles cross: a tile of the operand is turned before the
    /// label's last level begins, and read inside of it.
    std::size_t grain = none, turned = none;  // turned: that level
    Extent grain_block = 1;                   // its indices in a tile
    std::vector<Level> levels;                // outermost first
    std::size_t scope = 0;                    // levels inside this one share a tile of accumulators
    std::size_t tile = 1;                     // accumulators of a tile
    std::size_t cut = none;                   // the level that is cut into pieces
    std::int64_t pieces = 1;
    bool partial = false;  // pieces share outputs: each makes partial results
    /// A vector tile has several terms of each of its outputs, and further vector tiles have more.
    bool sums_of_vector_tiles = false;
};

/// Whether vector tiles cross an operand that lies along the plan's grain.
bool is_turned(Nest const& nest, LoopPlan const& plan, std::size_t operand);

/// Elements of the longest vector tile of a nest with operands that are turned.
Extent turned_vector_tile(Nest const& nest);

/// What a kernel combines several of at a time.
struct RowForms {
    Extent short_row = 0;    // elements of rows at most, where no order changes what comes; 0: by the operands' types
    Extent middle = 0;       // of rows that have an aggregated label between two of the output; 0: none
    bool any_order = false;  // of terms gives the same
    bool columns = false;    // rows of narrow columns, as one
};

/// Where the nest keeps order, the order is that of its whole; labels of the output may be shorter than their blocks.
/// @param vector_tile  the longest vector tile, in elements
LoopPlan plan_loops(Nest const& nest, std::size_t vector_tile, RowForms const& forms = {});

}  // namespace ein::executor
