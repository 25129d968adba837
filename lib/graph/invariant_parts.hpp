// Parts of a join that stay the same along a label of the output and take long: kernels compute each of them once, and
// predictions count them so.
// Example: of x*rsqrt(y/64 + eps) over "ij,i->ij" the part rsqrt(y/64 + eps), whose labels are "i".
#pragma once

#include <span>
#include <vector>

#include "lib/graph/einsum.hpp"

namespace ein::graph {

/// The largest ones, each once; none of EinSums that aggregate, and of other types than f32 and f64.
/// @param lengths  of the labels, in what is computed at once
/// @param output  the type that elements are stored in
std::vector<scalar::Expr> invariant_parts(EinSum const& einsum, std::span<Extent const> lengths, DType compute,
                                          DType output);

/// The join that reads operands in place of parts. @param first  number of the first part's operand
scalar::Expr reading_parts(scalar::Expr const& join, std::vector<scalar::Expr> const& parts, int first);

}  // namespace ein::graph
