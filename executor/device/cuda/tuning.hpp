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
/// How long a wait for the GPU is done awake, giving the core to whoever wants it: being woken takes 0.1 to 0.4 ms in a
/// virtual machine, which is little only after this. Measured.
inline constexpr auto awake = std::chrono::milliseconds(20);
/// Threads of the host that compile kernels at once, at the most: its cores are shared by its ranks.
inline constexpr int most_compiling = 8;

// Speeds that choose between cuBLAS and kernels from text (product_costs.hpp). Measured on an H200 by gpu_kernels on
// 91 products: predictions are 0.5 to 1.7 of what tiles take.

/// Of cuBLAS for halves, f32 and f64, and of packing.
inline constexpr double half_flops = 6e14, single_flops = 4.8e13, double_flops = 5.5e13, bytes_a_second = 3e12;
inline constexpr double seconds_of_a_launch = 4e-6;
/// Of each product in a batch, and how much longer the bytes of many products of a row or column take.
inline constexpr double seconds_of_a_product = 2.2e-9, batched_vectors = 1.5;
/// Terms that kernels from text add up a second: in tiles, of f32 and of f64, and without them.
inline constexpr double tiled_terms_a_second = 1e13, tiled_double_terms_a_second = 4.6e12, terms_a_second = 2e12;
/// Edge of the smaller tiles, and how much longer the bytes take that neighbouring threads do not have side by side:
/// of elements up to 4 bytes, and of wider ones.
inline constexpr double tile_edge = 64, scattered = 10, scattered_wide = 6;

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
