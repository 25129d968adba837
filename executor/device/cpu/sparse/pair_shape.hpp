// Which kernels are sums of products of two sparse matrices, and how these are to lie: rows of the first, each of whose
// elements meets a row of the second. Example: "ik,kj->ij" walks i and k, then k and j.
#pragma once

#include "executor/device/cpu/sparse/product_terms.hpp"

namespace ein::executor {

struct PairShape {
    DType type;                        // of the loops
    SparsePlan::Source first, second;  // {row, term}, {term, column}
    double factor = 1;
    bool has_first = true, has_second = true;  // whether the join mentions them
};

/// @return nothing for what is no such sum
std::optional<PairShape> pair_shape(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
