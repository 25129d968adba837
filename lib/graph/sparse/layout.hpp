// In which order a kernel wants the elements of a sparse operand: so that what it writes, and then what it reads
// elsewhere, is met in order.
#pragma once

#include "lib/graph/einsum.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::graph {

/// Axes whose labels the output has come first, in the output's order, then the others: kernels share rows of the first
/// axis among threads. Example: of A in "ij,j->i" {0, 1}, in "ij,i->j" {1, 0}.
tensor::SparseLayout preferred_layout(EinSum const& einsum, std::size_t operand);

}  // namespace ein::graph
