// How a product of two operands becomes calls: of OpenBLAS, which takes matrices of one row and one column label, with
// loops around them for the others and with packing first of what it cannot take where it lies; or of pair_product,
// which takes labels as they come. All ways are weighed by predicted time, and the cheapest is taken. Leaves roles and
// runs of labels to product_labels.hpp. Example: "bij,bjk->bik" of C-order blocks: nothing packed, calls of (i, j) x
// (j, k), a loop over b.
#pragma once

#include <array>
#include <optional>

#include "executor/device/cpu/gemm/gemm_calls.hpp"
#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/kernel/product_labels.hpp"

namespace ein::executor {

struct GemmPlan {
    enum Side : std::size_t { a, b, c };

    /// A label, or a loop around calls. Steps are in elements of each side's matrix, 0 where it lacks the label.
    struct Loop {
        Extent length = 1;
        std::array<Extent, 3> steps{};
        int tile = -1;  // of pair_product: where the tiles of the loop of this number are; the last is this long
        Extent last = 0;
    };
    /// How products of a batch are computed: a call each, or all of pair_lanes.hpp: in the lanes of vectors, or small
    /// ones where they lie.
    enum class Batch : std::uint8_t { calls, in_lanes, one_by_one };
    /// What is packed before the calls, or after them.
    struct Matrix {
        bool packed = false;
        std::vector<Extent> packed_strides;  // of each label of the nest, in elements, where packed
        Extent elements = 1;                 // where packed
    };

    std::array<Matrix, 3> matrices;
    std::vector<Loop> rows, columns, terms;  // of a call, outermost first; at most one each for BLAS
    std::vector<Loop> free_loops;            // around the calls: every iteration has outputs of its own
    std::vector<Loop> sum_loops;             // around the calls, of BLAS only: every iteration adds to the same outputs
    /// Of pair_product: parts of columns and terms are multiples of so many where they can be, for packing by whole
    /// squares.
    Extent whole_columns = 1, whole_terms = 1;
    int row_group = 0, column_group = 0, term_group = 0;  // from which label on they are such squares; 0: from none
    std::vector<std::size_t> term_labels;  // of pair_product: the nest's labels that `terms` are, outermost first
                                           // and each whole
    std::vector<Extent> term_tiles;        // of each of them, how long its part of a box is; empty: there are none
    Batch batch = Batch::calls;            // of pair_product
    double seconds = 0;                    // predicted, for one thread

    Extent m() const { return iterations(rows); }
    Extent n() const { return iterations(columns); }
    Extent k() const { return iterations(terms); }
    Extent calls() const { return iterations(free_loops); }
    /// Of all together; a loop that is cut into tiles counts once.
    static Extent iterations(std::vector<Loop> const& loops);
    /// Adds iteration number `iteration` of some nested loops to a place, in elements of each side.
    static void add_iteration(std::vector<Loop> const& loops, Extent iteration, std::array<Extent, 3>& at);
    static std::vector<Loop> loops_of(std::vector<Run> const& runs);
    /// Loops as pair_product takes them. @param sides  of the two matrices whose steps they have
    static std::vector<PairLabel> labels_of(std::vector<Loop> const& loops, std::array<Side, 2> sides);
};

/// Rough speeds: they only rank the ways to do the same work. As given, those of one thread and OpenBLAS.
struct GemmCosts {
    double single_flops = 1.2e11, double_flops = 6e10;  // a second
    double bytes_per_second = 8e9;
    double seconds_of_a_call = 1.5e-7, seconds_of_a_packing = 5e-7;
    double seconds_of_loops = 0, loop_elements_per_second = 1.5e9;  // of loops in place of products
    bool batched = false;                                           // the longest free loop is part of the call
    double seconds_of_a_product = 0;                                // of each of a call that is batched
    double batched_vectors = 1;  // many products of one row or column: times the time of their bytes
};

/// @return nothing when there is nothing to contract, or loops around vector tiles are predicted to be faster
std::optional<GemmPlan> plan_gemm(GemmProblem const& problem, GemmCosts const& costs = {});
/// The same for calls of pair_product. Rows are the left operand's: whether the other way is cheaper is the caller's to
/// try.
std::optional<GemmPlan> plan_tiles(GemmProblem const& problem, PairProduct const& product);
/// The same product with other lengths of rows, columns and batch labels: each output's terms are combined in the
/// order, and in the blocks, that `whole` has.
GemmPlan plan_tiles_as(GemmPlan const& whole, GemmProblem const& problem, PairProduct const& product);

/// What loops around vector tiles would take, in seconds.
double seconds_in_vector_tiles(Nest const& nest, GemmCosts const& costs = {});

}  // namespace ein::executor
