// argmin and argmax as two EinSums: m = min over k of the join, then the least k whose join equals m (or is nan: nan
// wins, as in NumPy; the first index wins ties). Example: argmax over k of x is m = max x, then min over k of where(x
// == m || x != x, [k], 2^63 - 1), in i64.
#pragma once

#include <optional>
#include <span>

#include "lib/graph/graph_builder.hpp"

namespace ein::graph {

/// @param einsum  with agg min or max over exactly one label of extent >= 1; its join has a real, integer or bool type
ValueId lower_argbest(NodeBuilder& builder, EinSum einsum, std::vector<ValueId> inputs, DType dtype);

/// An index, or a count, widens nothing: a join of integers or truth values whose result is as narrow is computed as
/// its maximum is, in this type. Nothing: in that of the node.
std::optional<DType> narrow_compute(scalar::Expr const& join, std::span<DType const> inputs);

}  // namespace ein::graph
