// In which order a kernel wants the elements of a sparse operand: so that what it writes, and then what it reads
// elsewhere, is met in order, and nothing is sorted when it runs.
#pragma once

#include "lib/graph/einsum.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::graph {

/// Of an operand that is walked first: axes whose labels the output has come first, in the output's order (kernels
/// share rows of the first axis among threads), then the others, the shortest first (elements that share their index
/// are added before they are multiplied). Of one that is joined to those: axes whose labels they have come first.
/// Of what is looked up by position (as_lookup) that axis comes first.
/// Example: of A in "ij,j->i" {0, 1}, in "ij,i->j" {1, 0}; in "ij,kj->ik" with both sparse, of the second {1, 0}.
/// @param idle_sets  as idle_sets.hpp has them; without any, every operand is walked first
tensor::SparseLayout preferred_layout(EinSum const& einsum, std::size_t operand,
                                      std::span<std::vector<int> const> idle_sets = {});

}  // namespace ein::graph
