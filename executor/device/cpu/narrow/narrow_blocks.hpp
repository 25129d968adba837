// How a narrow product is cut: terms into blocks and splits, which follow from its shape alone; rows and columns into
// tasks, which follow from the threads too; and what is packed for all of them. Knows sizes only.
// Example: 4096^3 of bf16 on AMX and two threads: 8 blocks of 512 terms, 64 tasks of 512 x 512, both operands packed
// for all, in 4 waves of 2048 x 2048.
#pragma once

#include "executor/device/cpu/narrow/narrow_loops.hpp"
#include "lib/base/box.hpp"

namespace ein::executor {

/// How many parts a length has, the last of which may be shorter.
constexpr Extent parts_of_length(Extent length, Extent part) { return (length + part - 1) / part; }
/// The length of whole parts.
constexpr Extent rounded_up(Extent length, Extent part) { return parts_of_length(length, part) * part; }

struct NarrowSizes {
    Extent rows = 1, columns = 1, terms = 1, calls = 1;  // calls: iterations of the batch labels
};

/// Blocks of terms.
struct TermBlocks {
    Extent terms = 1, each = 1, count = 1, splits = 1, words = 1;  // words of a whole block
    Extent first(Extent block) const { return block * each; }
    Extent size(Extent block) const { return terms - first(block) < each ? terms - first(block) : each; }
    /// Blocks of a split: [first, second).
    std::pair<Extent, Extent> of_split(Extent split) const;
};
Extent words_of(NarrowLoops const& loops, Extent terms);
/// @param whole  of the whole node's product, where this is a part of it
TermBlocks term_blocks(NarrowLoops const& loops, NarrowSizes const& whole);

struct TaskBlocks {
    Extent rows = 1, columns = 1;  // of a task
    Extent wave_rows = 1, wave_columns = 1, wave_calls = 1;
    bool packs_a = false, packs_b = false;  // for all tasks of a wave
};
/// Of few rows whose b is read where it lies: all rows, as many columns as their sums stay in the first-level cache.
TaskBlocks stream_blocks(NarrowLoops const& loops, NarrowSizes const& sizes, TermBlocks const& terms, int threads);
TaskBlocks task_blocks(NarrowLoops const& loops, NarrowSizes const& sizes, TermBlocks const& terms, int threads);

}  // namespace ein::executor
