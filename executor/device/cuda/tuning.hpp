// What the CUDA device takes for granted of GPUs and their driver, and from what size on a way of working pays, in one
// place: chosen, and not measured but where it says so. Edges of tiles and counts of threads are beside the sources
// that they are written into (source/, kernels/). None of it changes what is computed; how a sum is cut, and with it
// its last bits, follows the values that say so.
// Example: a fold leaves each thread tuning::terms_of_a_part terms at least.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::executor::cuda::tuning {

// The driver.

/// Bytes of each rank on the GPU that blocks may not have: code of kernels, cuBLAS's own, and what the driver needs
/// beside what it says.
inline constexpr std::int64_t memory_for_code = std::int64_t{512} << 20;
/// Bytes of cuBLAS's workspace: what NVIDIA advises for its newest GPUs.
inline constexpr std::int64_t blas_workspace = std::int64_t{32} << 20;
/// How long a wait for the GPU is done awake: sleeping and being woken takes tens of microseconds. Measured.
inline constexpr auto awake = std::chrono::microseconds(50);
/// Threads of the host that compile kernels at once, at the most: its cores are shared by its ranks.
inline constexpr int most_compiling = 8;
/// Nodes that have a record of faults of their own.
inline constexpr std::size_t most_records = 256;

// Kernels: how many blocks of threads a launch has for each multiprocessor, and how much work each.

/// Of copies and fills.
inline constexpr Extent blocks_of_moves = 64;
/// Of folds: four times what a multiprocessor holds; later ones fill gaps.
inline constexpr Extent blocks_of_folds = 32;
/// Bytes of shared memory that a block may have without asking for more.
inline constexpr std::size_t most_shared_bytes = 48 << 10;
/// Elements that one thread of a fold, or of a lookup, takes side by side.
inline constexpr int most_lanes = 8;
/// Parts that the terms of a sum are cut into, and terms of a part for each thread, at least. May change bits.
inline constexpr Extent most_parts = 1024, terms_of_a_part = 16;
/// Edges and terms of a product from which on it is done in tiles, and terms of a part where it is cut. May change
/// bits.
inline constexpr Extent least_product_edge = 16, least_product_terms = 8, product_terms_of_a_part = 64;
/// Elements of a scattered row, from which on scattering is faster than comparing everywhere: for fewer they are equal.
/// Measured.
inline constexpr Extent least_scattered_row = 32;

}  // namespace ein::executor::cuda::tuning
