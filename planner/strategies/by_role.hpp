// Strategies that are one preference order of roles (see roles.hpp): a node is cut along the labels of the first row of
// which it has any; a node that has none of them is one kernel call. Never along anything else, so small extents give
// fewer calls. Weights are cut only where a cut label is theirs: what is sequence- or data-parallel has them whole
// everywhere.
//
// | strategy  | rows                                |
// |-----------|-------------------------------------|
// | data      | batch                               |
// | sequence  | sequence; batch                     |
// | attention | heads and group; sequence; batch    |
//
// Example: attention on 8 calls: projections to 32 heads and what is done with heads in 8 parts of heads, the
// contraction back to the model in 8 parts of the contracted heads, norms and feed-forward layers in 8 parts of the
// positions. A graph in which nothing looks at itself has no sequence: its rows are its batch, and `sequence` is `data`
// there. Source: [E] section 9, experiment 3 ("sequence", "attention"); data parallelism as in [T] Table 9.
#pragma once

#include "lib/relation/plan.hpp"

namespace ein::planner {

std::vector<relation::NodePlan> cut_data_parallel(graph::EinGraph const& graph, std::int64_t calls);
std::vector<relation::NodePlan> cut_sequence(graph::EinGraph const& graph, std::int64_t calls);
std::vector<relation::NodePlan> cut_attention(graph::EinGraph const& graph, std::int64_t calls);

}  // namespace ein::planner
