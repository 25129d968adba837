// What no schedule of a contraction can go below, whatever its partition and placement: the memory-independent
// communication lower bound of matrix multiplication with tight constants.
// Example: 16384-cubes on 64 ranks: at least 3.774874e7 words through some rank.
// Source: Al Daas, Ballard, Grigori, Kumar, Rouse, 2022 (all three cases).
#pragma once

#include <optional>

#include "lib/graph/ein_graph.hpp"

namespace ein::planner {

/// Words that some rank must send or receive to multiply an a x b by a b x c matrix on `ranks` ranks, each holding
/// 1/ranks of the operands and of the result at its beginning and end. Never negative; 0 for one rank.
double matmul_lower_bound(double a, double b, double c, int ranks);

/// The same for an EinSum that is one matrix multiplication: two operands whose labels, each once in an operand, are
/// left (first operand and output), right (second and output) or contracted (both operands). Nothing for others.
std::optional<double> lower_bound_words(graph::EinSum const& einsum, int ranks);
/// The same for a node. Nothing where an operand is sparse: with the right pattern nothing need move.
std::optional<double> lower_bound_words(graph::EinGraph const& graph, graph::Node const& node, int ranks);

}  // namespace ein::planner
