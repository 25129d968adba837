// Strategies that compare each node's candidates by their parts alone: the one with the least key, the preferred one
// (see candidate_table.hpp) among equals. Example: best_candidates(graph, 8, squareness) cuts every node as "sqrt"
// does.
#pragma once

#include <algorithm>

#include "planner/search/candidate_table.hpp"

namespace ein::planner {

/// @param key  of a node and its parts, anything that can be compared
template <class Key>
std::vector<relation::NodePlan> best_candidates(graph::EinGraph const& graph, std::int64_t calls, Key const& key) {
    std::vector<relation::NodePlan> plans;
    for (graph::Node const& node : graph.nodes) {
        std::vector<Parts> const list =
            preferred_candidates(graph, node, calls, default_limit(graph.nodes.size())).parts;
        auto const best = std::min_element(list.begin(), list.end(),
                                           [&](Parts const& a, Parts const& b) { return key(node, a) < key(node, b); });
        plans.push_back({.parts = *best, .candidates = static_cast<std::int64_t>(list.size())});
    }
    return plans;
}

}  // namespace ein::planner
