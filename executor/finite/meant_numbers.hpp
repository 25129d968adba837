// NaN and infinities that a graph writes itself: numbers in joins, params, constants of moves, fills of sparse
// tensors.
// Example: of "where([i] >= [k], x, -inf)": {.infinite = 1}.
#pragma once

#include "lib/schedule/model/header.hpp"
#include "lib/tensor/non_finite.hpp"

namespace ein::executor {

tensor::NonFinite meant_numbers(scalar::Expr const& join, scalar::Params const& params);
/// Of all that ranks compute.
tensor::NonFinite meant_numbers(schedule::Header const& header);

}  // namespace ein::executor
