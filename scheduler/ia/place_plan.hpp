// Places the kernel calls of a plan by the implementation algebra: each EinSum, cut as the plan says, is a join of
// relations of blocks, whose keys are block coordinates along every axis, and an aggregation over the labels that the
// output lacks. The search finds the form of every relation; the form of a node's join says which of its calls belong
// together: PART over D puts calls that agree at the labels of D on one part of the ranks. Ranks are given to these
// parts in order, as evenly as calls allow: the function from keys to sites, which [T] leaves open, is here the
// position of the parts at D in C order, so that no rank is idle while others have calls to spare. What the algebra
// does not say ends a subgraph: a value that is read with another cut than it was made with (a repartition), Moves,
// Reshapes, diagonals and broadcasts. Such values are inputs, laid out as suits best at no cost. Subgraphs longer than
// max_operators are cut, and what one made is laid out for the next as it was found. Example: rows of X (8, 1, 1) times
// Y on 8 ranks: Y is broadcast, call i goes to rank i; (1, 8, 1): pieces are shuffled, call j to rank j. Source: [T]
// sections 3 and 4.
#pragma once

#include <vector>

#include "lib/relation/plan.hpp"
#include "scheduler/ia/cost.hpp"

namespace ein::ia {

struct PlacingOptions {
    std::size_t max_operators = 8;  // searched together
    std::size_t max_states = 40;    // see SearchOptions
    std::size_t max_ways = 200;
};

struct PlacedPlan {
    std::vector<std::vector<Rank>> ranks;  // of each node's kernel calls, by NodeId; none: the algebra does not say
    Cost cost;                             // of all subgraphs, as the algebra counts
};

PlacedPlan place_plan(graph::EinGraph const& graph, relation::Plan const& plan, PlacingOptions const& options = {});

/// The rank of each call: calls in the order of their parts at the labels `together`, then in their own, cut evenly
/// over the ranks.
std::vector<Rank> ranks_of_calls(graph::EinSum const& einsum, Parts const& parts, std::vector<int> const& together,
                                 int ranks);

}  // namespace ein::ia
