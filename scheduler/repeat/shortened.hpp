// A graph and its plan without rounds in the middle (period.hpp): a graph like it, of fewer layers. What is known of
// its nodes and values is known of those that were left out. Example: of layers 0 to 31 the layers 4 to 30 are left
// out: 31 reads what 3 makes.
#pragma once

#include "scheduler/repeat/period.hpp"

namespace ein::scheduler {

struct Shortened {
    graph::EinGraph graph;
    relation::Plan plan;
    std::size_t cut = 0;          // nodes before it are those of the whole graph, those from it on stood further back:
    std::size_t left_out = 0;     // by so many
    std::size_t rounds = 0;       // of them
    std::vector<ValueId> values;  // by ValueId: what it is in the whole graph

    /// Where a node stands in the whole graph.
    std::size_t whole(std::size_t node) const { return node < cut ? node : node + left_out; }
};

/// @param before, behind  rounds that stay in front of those that are left out, and after them
/// @return nothing where there are no more rounds, or what comes after them reads more than the last ones
std::optional<Shortened> shortened(graph::EinGraph const& graph, relation::Plan const& plan, Period const& period,
                                   std::size_t before, std::size_t behind);

}  // namespace ein::scheduler
