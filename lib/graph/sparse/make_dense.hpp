// What is said of sparse tensors that are made dense (storage.hpp does it): for whom, and why.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// A tensor that is made dense, and whom for.
struct MadeDense {
    ValueId sparse, dense;
    std::vector<NodeId> readers;
    bool is_output = false;
};
std::vector<MadeDense> made_dense(EinGraph const& graph);

/// For which node, and why: "for node 'E': its join exp(x) is not one value where x is not listed; 1 more node reads
/// it". Empty where no node reads it.
std::string why_made_dense(EinGraph const& graph, MadeDense const& made);

/// Why a node cannot be computed over the listed elements of its input `operand`: "its join exp(x) is not what sum
/// begins with where x is not listed".
std::string why_dense(EinGraph const& graph, Node const& node, std::size_t operand);

/// The sparse tensor that a value is a dense copy of; else the value itself.
ValueId sparse_original(EinGraph const& graph, ValueId value);

}  // namespace ein::graph
