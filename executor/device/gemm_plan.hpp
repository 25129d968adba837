// How a sum of products becomes calls of GEMM. Each label is batch (in both operands and the output), left (first
// operand and output), right, contracted (both operands), alone (one operand only: summed first) or a broadcast (output
// only). One left, one right and one contracted label make the matrices of a call, loops go over the others, and what
// BLAS cannot take where it lies is packed first. All ways are weighed by predicted time, and the cheapest is taken.
// Example: "bij,bjk->bik" of C-order blocks: nothing packed, calls of (i, j) x (j, k), a loop over b.
#pragma once

#include <array>
#include <optional>

#include "executor/device/gemm_calls.hpp"
#include "executor/device/nest.hpp"

namespace ein::executor {

struct GemmPlan {
    enum Side : std::size_t { a, b, c };

    /// A loop around the calls, or around nothing. Steps are in elements of each side's matrix, 0 where it lacks the
    /// label.
    struct Loop {
        Extent length = 1;
        std::array<Extent, 3> steps{};
    };
    /// A matrix as the calls see it, packed or in place.
    struct Matrix {
        bool packed = false;
        MatrixStrides strides;
        std::vector<Extent> packed_strides;  // of each label of the nest, in elements, where packed
        Extent elements = 1;                 // where packed
    };

    std::array<Matrix, 3> matrices;
    Extent m = 1, n = 1, k = 1;
    std::vector<Loop> free_loops;  // over batch, left and right labels: every turn has outputs of its own
    std::vector<Loop> sum_loops;   // over contracted labels: every turn adds to the same outputs
    double seconds = 0;            // predicted, for one thread

    Extent calls() const;  // turns of the free loops
};

/// What the plan is made from: labels by role are found from strides that are not 0.
struct GemmProblem {
    Nest const& nest;
    std::size_t left, right;   // operands
    DType type;                // of the calls
    bool pack_output = false;  // even where it could be written in place
    /// Operations a second of products that are none of BLAS's (pair_product.hpp); 0 for BLAS's. Sums that one operand has alone are
    /// only taken out of sums of products.
    double pair_rate = 0;
};

/// @return nothing when there is nothing to contract, or loops around strips are predicted to be faster
std::optional<GemmPlan> plan_gemm(GemmProblem const& problem);

}  // namespace ein::executor
