// Products of blocks over two operations, in tiles of outputs that stay in registers: times and plus, and the like for
// shortest paths (x + y, min), distances ((x - y)^2 or |x - y|, sum or max) and integers. Operands lie as they like,
// with any labels in each direction: what tiles read is packed on the way, so nothing is transposed first. Leaves which
// labels are rows, columns and terms to gemm_plan.hpp. Each output combines its terms in their order, in blocks of
// pair_block: results do not depend on how rows and columns are cut. They are the same bits on every instruction set,
// but for sums of products, and of squared differences, of real numbers, which are fused multiply-adds where the
// processor has them. Example: pair_product(add, min) of 1 x 2 and 2 x 1 matrices is min(a0 + b0, a1 + b1). Source:
// Goto and van de Geijn (2008); packing of tensors after Matthews' TBLIS (2018).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/agg.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::executor {

enum class PairJoin : std::uint8_t {
    add,
    subtract,
    subtract_from,  // y - x
    multiply,
    distance,  // |x - y|
    square,    // (x - y)^2
    least,
    most
};
PairJoin with_operands_exchanged(PairJoin join);

/// A join of exactly two operands that has such loops.
struct PairOperation {
    PairJoin join = PairJoin::multiply;
    std::size_t left = 0, right = 1;  // distinct operands
};
/// @return nothing for any other join
std::optional<PairOperation> pair_operation(scalar::Expr const& join);

/// Terms of an output that are combined before they meet what the output holds: so many at most, or a quarter more, cut
/// evenly.
inline constexpr std::ptrdiff_t pair_block = 384;

/// Labels of a direction, tiles counted as labels of their own: so many at most.
inline constexpr int most_pair_labels = 64;

/// One label of a direction and how far it moves in the two matrices that have it, in elements. A label cut into tiles
/// is two: where its tiles are, and, further inside, what is inside a tile.
struct PairLabel {
    std::ptrdiff_t length = 1;
    std::ptrdiff_t step[2] = {0, 0};
    int tile = -1;            // of where tiles are: which label is inside them
    std::ptrdiff_t last = 0;  // and how long the last tile is; the others are as long as that label
};
/// Nested labels, outermost first, of which a call takes `count` iterations from `first` on.
struct PairLabels {
    PairLabel const* label = nullptr;
    int labels = 0;
    std::ptrdiff_t first = 0, count = 1;
    int group = 0;  // labels from here on are packed together: blocks end where they all do; 0: anywhere
};

/// c[row, column] = scale * (agg over the terms of join(a[row, term], b[term, column])); with `accumulate`, combined
/// with what c holds.
struct PairCall {
    PairLabels rows, columns, terms;  // steps in a and c; in b and c; in a and b. Counts are at least 1
    void const* a = nullptr;          // at iteration 0 of all labels, as b and c
    void const* b = nullptr;
    void* c = nullptr;
    double scale = 1;  // of sums of products of numbers that are no integers
    bool accumulate = false;
    std::byte* scratch = nullptr;                       // scratch_bytes at a multiple of 64
    std::ptrdiff_t whole_columns = 1, whole_terms = 1;  // what is packed at once is a multiple of these where it can be
    void (*pause)(void* of) = nullptr;                  // called every few hundred thousand operations
    void* pause_of = nullptr;
    bool past_cache = false;                        // c is so large that it leaves the cache before anybody reads it
    bool conjugate_a = false, conjugate_b = false;  // of complex numbers
};

struct PairProduct {
    void (*run)(PairCall const& call) = nullptr;  // null: there is none
    std::size_t (*scratch_bytes)(PairCall const& call) =
        nullptr;                // at least those of calls with fewer rows, columns or terms
    int rows = 1, columns = 1;  // of a tile
    double rate = 0;            // operations of two a second, one thread, roughly
    int lanes = 1;              // numbers of a vector, where pair_lanes.hpp has the product too
    int columns_of_a_vector = 1;
};
/// @return `run` null where there are no loops: for aggregations other than sum, min and max, for types other than f32,
/// f64, i64, i32, c64 and c128, for complex numbers and i32 but in sums of products, and for sums of products of real
/// or complex numbers where the processor has no fused multiply-add
PairProduct pair_product(PairJoin join, scalar::Agg agg, DType type);

/// The loops for one instruction set. Names of aggregations as numbers: what is compiled for a set shares no header's
/// functions.
enum class PairAgg : std::uint8_t { sum, min, max };
enum class PairType : std::uint8_t { f32, f64, i64, i32, c64, c128 };
/// @return nothing for types that no loops are for
std::optional<PairType> pair_type(DType type);

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
