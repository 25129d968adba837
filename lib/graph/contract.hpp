// Contracting n-ary EinSums pairwise: which pair first. Optimal (dynamic programming over subsets) for few operands,
// greedy with several cost rules for hundreds. Only joins and aggregations that distribute are contracted; others stay
// n-ary. Example: "ij,jk,kl->il" with extents 10, 1000, 10, 1000 first contracts ij,jk.
#pragma once

#include <utility>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

class GraphBuilder;

/// A good order for the operands of an EinSum whose join is a product (or another that distributes).
Path find_path(EinSum const& einsum);

/// Whether the EinSum may be contracted pairwise: its join is an associative, commutative chain over which agg
/// distributes (sum of products, min or max of sums, any of ands, ...) and reads no [index].
bool contracts_pairwise(EinSum const& einsum);

/// Adds `node`, whose value is there already, to `graph`: as binary nodes in the order of its path where that is
/// cheaper or asked for, else as it is. Intermediate values are kept in the compute type.
void add_contracted(GraphBuilder& graph, Node node);

/// The graph with every such node of three or more operands replaced by binary nodes, in the order of its path.
EinGraph lower_contractions(EinGraph graph);

}  // namespace ein::graph
