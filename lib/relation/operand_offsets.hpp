// Where the loops of an EinSum find its operands' elements: of sampled operands, for the sampled elements of the
// output. Example: row 3 alone of "ij,jk->ik" is wanted, and of A row 3 alone is at hand: label i moves A by nothing, j
// by 1.
#pragma once

#include <cstddef>

#include "lib/graph/einsum.hpp"
#include "lib/relation/label_loops.hpp"
#include "lib/relation/sampled.hpp"

namespace ein::relation {

/// Where each iteration of each label's loop lies in an operand; a label on two axes moves along both (the diagonal).
/// @param output   the elements of the output that are computed
/// @param lengths  loop_lengths(einsum, output)
LabelOffsets operand_offsets(graph::EinSum const& einsum, std::size_t operand, Sampled const& input, Sets const& output,
                             Shape const& lengths);

}  // namespace ein::relation
