// Aggregations that are made of sums: mean, var, std, norm. Each becomes one or two sums, NODE:sum and NODE:squares,
// and a node that finishes them. Example: mean over j of x is NODE:sum = sum x, then NODE = x/n.
#pragma once

#include "lib/graph/read/einsum/named_agg.hpp"

namespace ein::graph {

/// The sum, divided by how many elements it is of: of none it is nan, as in NumPy.
ValueId lower_mean(AggLowering of);
/// The mean of |x - mean|^2, its divisor less by `correction` and never negative.
ValueId lower_var(AggLowering of);
/// The square root of lower_var.
ValueId lower_std(AggLowering of);
/// The square root of the sum of |x|^2; the gradient of one that is 0 is 0.
ValueId lower_norm(AggLowering of);

}  // namespace ein::graph
