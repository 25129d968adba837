// Memory for a program that makes and drops very many small things, in threads of which some drop what others made:
// each thread has lists of free blocks of its own, one for each size, and passes full lists on. A block has no header:
// it lies in a slab of blocks of one size, and where a slab lies says which size that is. Blocks that are given back
// serve others of their size, and never go back to the system; what is larger than `largest` is malloc's.
// Leaves to new_and_delete.cpp that `new` uses it.
// Example: give(take(24)) and then take(32) are one block: both are of 32 bytes.
#pragma once

#include <cstddef>

namespace ein::small_blocks {

constexpr std::size_t largest = 1024;

/// Aligned as malloc does. Nothing when the system has no more.
void* take(std::size_t bytes) noexcept;

/// What take returned, or nothing; @param bytes  as it was asked for
void give(void* block, std::size_t bytes) noexcept;
void give(void* block) noexcept;

}  // namespace ein::small_blocks
