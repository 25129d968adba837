// Vertices with weights, and edges of any number of vertices with weights: what is parted in two.
// Example: three operands ij, jk, kl of extents 2 and 4 for j and k: edges {0, 1} of weight 1 and {1, 2} of weight 2;
// parted into {0} and {1, 2} it cuts 1.
#pragma once

#include <vector>

#include "lib/graph/contract/order/draws.hpp"

namespace ein::graph {

struct Hypergraph {
    std::vector<double> vertex_weights;
    std::vector<double> edge_weights;
    std::vector<std::vector<int>> edges;     // its vertices, distinct
    std::vector<std::vector<int>> incident;  // of each vertex: its edges

    std::size_t vertices() const { return vertex_weights.size(); }
    /// Fills `incident` from the edges.
    void connect();
};

/// For each vertex its half, 0 or 1; a half weighs at most (1 + imbalance) / 2 of all, as far as vertices allow.
std::vector<char> bisect(Hypergraph const& graph, double imbalance, Draws& draws);

}  // namespace ein::graph
