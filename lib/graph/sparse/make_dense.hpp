// Sparse operands where they cannot help: a node that must look at what a tensor does not list reads a dense copy of
// it, "A:dense", an identity from a sparse tensor to a dense one. After this pass every node that reads a sparse tensor
// is computed over listed elements (idle_sets.hpp).
#pragma once

#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

EinGraph make_dense_where_needed(EinGraph graph);

/// A tensor that is made dense, and whom for.
struct MadeDense {
    ValueId sparse, dense;
    std::vector<NodeId> readers;
    bool is_output = false;
};
std::vector<MadeDense> made_dense(EinGraph const& graph);

/// Why a node cannot be computed over the listed elements of its input `operand`: "its join exp(x) is not what sum
/// begins with where x is not listed".
std::string why_dense(EinGraph const& graph, Node const& node, std::size_t operand);

}  // namespace ein::graph
