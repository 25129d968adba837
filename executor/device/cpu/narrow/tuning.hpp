// Sizes of what products of narrow types keep in caches and pack ahead, with unit and reason. None decides a bit but
// block_words and terms_of_a_split.
#pragma once

#include <cstddef>

#include "lib/base/box.hpp"

namespace ein::executor::narrow_tuning {

/// Words of a row or column that are packed at once: a panel of rows stays in the first-level cache (AMX's 32 rows of
/// 256 words are 32 KiB, 8 rows of 384 are 12). May change bits of sums of floats.
inline constexpr Extent block_words = 384, block_words_by_row = 256;
/// Terms of a block, at most: their places are found each time.
inline constexpr Extent block_terms = 4096;
/// Rows and columns of a task, at most: its sums and its panels of the second operand fit the second-level cache.
inline constexpr Extent block_rows = 512, block_columns = 512;
/// Bytes of packed columns of a task, at most; as above.
inline constexpr Extent block_bytes = Extent{640} << 10;
/// Bytes of both operands that are packed at a time for all threads, at most. Twice as much gained nothing.
inline constexpr Extent packed_bytes = Extent{32} << 20;
/// Rows or columns that a thread packs at a time.
inline constexpr Extent packed_wide = 96;
/// Tasks for each thread, where there is work for so many.
inline constexpr Extent tasks_a_thread = 4;
/// Multiply-adds between two looks at messages, about; a twentieth of a millisecond.
inline constexpr Extent terms_between_pauses = Extent{1} << 22;
/// Terms from which on sums are cut, where there are few outputs, and outputs that are few. May change bits.
inline constexpr Extent terms_of_a_split = 4096, outputs_of_a_split = Extent{1} << 17, most_splits = 16;
/// Operations of a task, at least: one is given to another thread in microseconds.
inline constexpr double least_operations = 1e7;

/// Rows of a product whose other operand is read where it lies, at most: more are multiplied faster from panels, and so
/// are operands of fewer elements. Sums of such a task, at most: they stay in the first-level cache. May change bits.
inline constexpr Extent streamed_rows = 8, streamed_elements = 4096, streamed_sums = 4096;

/// Sides of the matrices of a batch that are multiplied each by itself, at most: both operands as words take half of
/// the first-level cache. Columns of theirs, at least: of fewer, batches in lanes are faster. May change bits.
inline constexpr Extent small_side = 64, least_small_columns = 12;
/// Operations of a piece of such a batch. Decides no bit.
inline constexpr double small_operations = 4e6;

/// Bytes of a box of a product, its parts of operands and result as words of 32 bits: it stays in the second-level
/// cache. May change bits, as all that follows of boxes.
inline constexpr Extent box_bytes = Extent{512} << 10;
/// Elements of a label of which parts are multiples, where they are that long: a cache line of words.
inline constexpr Extent box_grain = 16;
/// Boxes of a product of some size: threads share them.
inline constexpr Extent least_boxes = 16;
/// Elements side by side from which on each run is converted by itself.
inline constexpr Extent least_box_run = 4;
/// Ways to cut that are looked at together.
inline constexpr std::size_t box_plans = 12;
/// Seconds, of one thread, that only rank ways; fitted to 382 contractions drawn at random, of bf16 and of f16. In
/// boxes: of an element that is packed for tiles, and converted; of a run of them; of a box; share of the rate that
/// tiles are said to have; how much longer they take with the batch in lanes; rows of a tile without use.
inline constexpr double box_packed = 0.15e-9, box_converted = 0.18e-9, box_run = 10e-9, seconds_of_a_box = 2.5e-6,
                        rate_in_boxes = 0.5, box_lanes = 1.6, box_tile_rows = 3;
/// In panels (narrow_kernel.hpp): of an element that is packed; of a run of them; where the batch is inside; more,
/// where few rows or columns read it, so many; rows of tiles; of a product; the same of results. Runs count so long, at
/// most.
inline constexpr double panel_packed = 0.25e-9, panel_packed_run = 3.7e-9, panel_scattered = 1.2e-9,
                        panel_for_few = 0.55e-9, panel_few = 64, panel_rows = 4, seconds_of_a_panel = 1e-7,
                        panel_stored = 0.2e-9, panel_stored_run = 11e-9, panel_stored_apart = 10e-9, panel_run = 64;

}  // namespace ein::executor::narrow_tuning
