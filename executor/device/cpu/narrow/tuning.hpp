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

/// Terms of a product that is one of a batch in f32, at most: products of 16 x 16 of bf16 take half of the time so, of
/// 32 x 32 half as much again (AVX512-BF16). May change bits.
inline constexpr Extent terms_in_lanes = Extent{1} << 13;
/// Bytes of a part of a batch of small products, in f32: it stays in the second-level cache. Decides no bit.
inline constexpr Extent batch_bytes = Extent{256} << 10;

}  // namespace ein::executor::narrow_tuning
