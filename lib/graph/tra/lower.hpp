// Lowers a typed program of the algebra to EinSums, Moves and Reshapes over blocked values.
// A relation without holes is a grid with an axis for each key part; one with holes is a list of its arrays in the
// order of their keys, so a relation's type says how it is stored. Aggregations are merged into the join that they
// aggregate, filters and key functions into the reading of operands: what is stored is what the operators after it
// need. Example: the matrix product over blocks is one EinSum of the two cut tensors.
#pragma once

#include "lib/graph/tra/blocks.hpp"
#include "lib/graph/tra/read_program.hpp"

namespace ein::graph {

/// The blocks of the program's result, a grid of its frontier.
/// @param inputs  the blocks of each input, by name
Blocks lower_program(BlockBuilder& builder, Program const& program, std::map<std::string, Blocks> const& inputs);

/// The tensor whose axis d is made of the labels axes[d], the first the slowest.
ValueId as_tensor(BlockBuilder& builder, Blocks const& blocks, std::vector<std::vector<int>> const& axes);

}  // namespace ein::graph
