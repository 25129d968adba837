// Which kernels are products of two sparse matrices, over which two operations, and how these are to lie: rows of the
// first, each of whose elements meets a row of the second. Example: "ik,kj->ij" walks i and k, then k and j.
#pragma once

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/sparse_products/product_terms.hpp"

namespace ein::executor {

/// Operations that rows have loops for.
struct PairProducts {
    DType type;                          // of the loops
    PairJoin join = PairJoin::multiply;  // of an element of the first and one of the second
    scalar::Agg agg = scalar::Agg::sum;  // sum, min or max
    double factor = 1;                   // of sums of products
    std::vector<int> operands = {0, 1};  // that the join mentions

    PairAgg pair_agg() const {
        return agg == scalar::Agg::sum ? PairAgg::sum : agg == scalar::Agg::min ? PairAgg::min : PairAgg::max;
    }
};

/// The least or the largest of a join of two operands.
/// @param first  the operand whose rows are walked  @return nothing for any other join or aggregation
std::optional<PairProducts> best_of_pairs(KernelShape const& shape, KernelTypes const& types,
                                          scalar::Params const& params, std::size_t first);

/// Of two labels the one beside `label`, or SparsePlan::none.
inline int label_beside(std::vector<int> const& labels, int label) {
    return labels[0] == label ? labels[1] : labels[1] == label ? labels[0] : SparsePlan::none;
}

struct PairShape {
    PairProducts products;
    SparsePlan::Source first, second;          // {row, term}, {term, column}
    bool has_first = true, has_second = true;  // whether the join mentions them
};

/// @return nothing for any other kernel
std::optional<PairShape> pair_shape(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
