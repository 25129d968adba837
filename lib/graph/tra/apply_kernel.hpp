// Kernel functions applied to every array of blocks: the EinSum goes on, or its operand is stored first where it
// cannot. Example: "diag" of blocks with arrays (i, j) makes i and j one label; nothing is computed for what is not on
// the diagonal.
#pragma once

#include "lib/algebra/kernel.hpp"
#include "lib/graph/tra/blocks.hpp"

namespace ein::graph {

Blocks apply_kernel(BlockBuilder& builder, tra::Kernel const& kernel, Blocks blocks);
/// Of two arrays each: the operands' key labels are numbers of one list, `keys` those of the result.
/// @param left_keys, right_keys  for each key label of an operand its number in that list
Blocks apply_kernel(BlockBuilder& builder, tra::Kernel const& kernel, Blocks const& left, Blocks const& right,
                    std::vector<int> const& left_keys, std::vector<int> const& right_keys, Shape const& key_extents);

}  // namespace ein::graph
