// EinDecomp: the partition vectors that cost least. Where no value that a node makes has two readers, one dynamic
// program over the whole graph, which is optimal; otherwise one over each path of path_cover.hpp, longest first, nodes
// once cut staying so. Deterministic; linear in the number of nodes. Ties are broken as candidate_table.hpp says;
// between input cuts that cost the same, the one that needs no repartition is taken, then the producer's preferred one.
// Example: one matmul of 1024-cubes on 8 calls is cut (2, 2, 2) and costs 5,242,880 elements.
// Source: [E] sections 8.2 to 8.4. Ours: an edge between a path and a node that is already cut is counted, for its cost
// is known by then, and at last every node is looked at again beside all its neighbours (improve.hpp);
// `ignore_off_path` leaves out both, as published.
#pragma once

#include <optional>
#include <vector>

#include "planner/search/candidate_table.hpp"

namespace ein::planner {

struct DecomposeOptions {
    std::int64_t calls = 1;   // kernel calls wanted of every node
    Unit unit = Unit::bytes;  // what is minimised
    bool ignore_off_path = false;
    std::size_t candidate_limit = 0;  // candidates of a node at most; 0: default_limit(nodes)
    double time_limit = 0;            // exact: seconds for the search; 0: `work_limit` instead
    double work_limit = 0;            // exact: table entries that the search may look at; 0: a few seconds' worth
};

struct Decomposition {
    std::vector<relation::NodePlan> nodes;  // parts and candidates; costs are not filled in (see price)
    std::optional<double> gap;              // see relation::Plan
};

/// The gap is known, and 0, where no value has two readers.
Decomposition decompose(graph::EinGraph const& graph, DecomposeOptions const& options);

/// The same as candidates of a table that is there already, for each node.
std::vector<int> choose_by_paths(graph::EinGraph const& graph, CandidateTable const& table, bool ignore_off_path);

/// The table that a decomposition chooses from.
CandidateTable choice_table(graph::EinGraph const& graph, DecomposeOptions const& options);

/// A decomposition of chosen candidates, its gap being unknown.
Decomposition decomposition_of(CandidateTable const& table, std::vector<int> const& chosen);

}  // namespace ein::planner
