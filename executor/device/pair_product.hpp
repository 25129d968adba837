// Products of matrices over other operations than times and plus, in tiles of outputs that stay in registers: shortest paths (x + y, min),
// distances ((x - y)^2 or |x - y|, sum or max), integers. Matrices may lie with any strides.
// Leaves which labels are rows and columns to gemm_plan.hpp. Results are the same bits on every instruction set: each
// output combines its terms in the order of k, in blocks of pair_block.
// Example: pair_product({add}, min) of 1 x 2 and 2 x 1 matrices is min(a0 + b0, a1 + b1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/base/dtype.hpp"
#include "lib/scalar/agg.hpp"
#include "lib/scalar/expr.hpp"

namespace ein::executor {

enum class PairJoin : std::uint8_t { add, subtract, multiply, distance, square, least, most };  // |x - y|, (x - y)^2

/// A join of exactly two operands that has such loops.
struct PairOperation {
    PairJoin join = PairJoin::multiply;
    std::size_t left = 0, right = 1;  // distinct operands
};
/// @return nothing for any other join
std::optional<PairOperation> pair_operation(scalar::Expr const& join);

/// Terms of an output that are combined before they meet what the output holds.
inline constexpr std::ptrdiff_t pair_block = 256;

/// c[m, n] = agg over k of join(a[m, k], b[k, n]); with `accumulate`, combined with what c holds. m, n and k are at least 1.
struct PairCall {
    std::ptrdiff_t m = 1, n = 1, k = 1;
    void const* a = nullptr;
    void const* b = nullptr;
    void* c = nullptr;
    std::ptrdiff_t a_row = 0, a_column = 0, b_row = 0, b_column = 0, c_row = 0, c_column = 0;  // in elements
    bool accumulate = false;
    std::byte* scratch = nullptr;  // at a multiple of 64
};

struct PairProduct {
    void (*run)(PairCall const& call) = nullptr;  // null: there is none
    std::size_t scratch_bytes = 0;
    double rate = 0;  // operations of two a second, one thread, roughly
};
/// @return `run` null where there are no loops: for aggregations other than sum, min and max, for types other than f32, f64 and i64
PairProduct pair_product(PairJoin join, scalar::Agg agg, DType type);

/// The loops for one instruction set. Names of aggregations as numbers: what is compiled for a set shares no header's functions.
enum class PairAgg : std::uint8_t { sum, min, max };
enum class PairType : std::uint8_t { f32, f64, i64 };
namespace baseline {
PairProduct pair_loops(PairJoin join, PairAgg agg, PairType type);
}
namespace avx2 {
PairProduct pair_loops(PairJoin join, PairAgg agg, PairType type);
}
namespace avx512 {
PairProduct pair_loops(PairJoin join, PairAgg agg, PairType type);
}

}  // namespace ein::executor
