// Many products of small matrices. Where their columns lie side by side they are multiplied one by one
// (pair_small.hpp). Or many at once, also of matrices whose batch lies side by side: each lane of a vector is then a
// product of its own. Operands are packed so that the batch is innermost, a vector's length of it at a time, which
// costs nothing where it is so in memory. Sums of products alone. Each output combines its terms in their order, in
// blocks of lanes_block: how the batch and rows are cut changes no bit. Example: 16 products of 4 x 4 matrices of f32
// are 64 multiply-adds of whole vectors. Source: Kim et al., "Designing vector-friendly compact BLAS" (2017).
#pragma once

#include "executor/device/cpu/gemm/pair_product.hpp"

namespace ein::executor {

/// Terms that are combined before they meet what the output holds, at most; cut evenly.
inline constexpr std::ptrdiff_t lanes_block = 128;

struct LanesCall {
    PairCall product;              // of the first of the batch; without columns beyond what it says
    PairLabels batch, batch_in_c;  // steps in a and b; in c (twice); the same iterations
};

struct LanesProduct {
    void (*run)(LanesCall const& call) = nullptr;  // null: there is none
    std::size_t scratch_bytes = 0;
    int lanes = 1;  // products at once
};
LanesProduct lanes_product(DType type);

/// Of products that are multiplied one by one: rows and terms, columns, and bytes of b with columns of whole vectors,
/// at most: all of b stays in the first-level cache. Columns must lie side by side in c, and they or the terms in b.
inline constexpr std::ptrdiff_t most_small_side = 128, most_small_columns = 64, bytes_of_small = 32768;
LanesProduct one_by_one(DType type);

namespace baseline {
LanesProduct lanes_loops(PairType type);
LanesProduct small_loops(PairType type);
}  // namespace baseline
namespace avx2 {
LanesProduct lanes_loops(PairType type);
LanesProduct small_loops(PairType type);
}  // namespace avx2
namespace avx512 {
LanesProduct lanes_loops(PairType type);
LanesProduct small_loops(PairType type);
}  // namespace avx512

}  // namespace ein::executor
