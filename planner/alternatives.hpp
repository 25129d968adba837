// Plans of one graph that are worth a look beside the one of plan(): every strategy with a name, those that move least
// by what ranks hold already, one that hardly repartitions, and plans that use fewer ranks, for graphs that are too
// small to share. And variations of a plan, for a local search: nodes cut as other plans cut them, or as suits their
// neighbours best.
// Pure; what they really take is known after the scheduler. Used by the optimizer, which prunes them by bounds.
// Example: a product on 4 ranks: eindecomp's (2, 1, 2), rows, columns, and the one call of one rank.
#pragma once

#include <string>
#include <vector>

#include "planner/planner.hpp"

namespace ein::planner {

struct Alternative {
    std::string name;  // of a strategy, or what is special about it
    relation::Plan plan;
};

/// Plans for as many calls as `first` has, without duplicates of it and of each other.
std::vector<Alternative> alternatives(graph::EinGraph const& graph, PlannerOptions const& options,
                                      relation::Plan const& first);

/// A plan that uses the first `used` of the ranks only.
Alternative on_fewer_ranks(graph::EinGraph const& graph, PlannerOptions const& options, std::string const& strategy,
                           int used);

/// Numbers of ranks that are worth a look where not all are used, most first: halves, and one.
std::vector<int> fewer_ranks(int ranks);

/// Numbers that leave so few ranks idle that it hardly matters, where a prime factor of `ranks` fits no grid: 96
/// for 97. A few, those with the smallest prime factors first.
std::vector<int> nearly_all_ranks(int ranks);

/// Plans that differ from `plan` in one node, or in those before or after a node, in an order that is worth keeping to.
/// @param others  whose cuts are tried
std::vector<relation::Plan> variations(graph::EinGraph const& graph, relation::Plan const& plan,
                                       std::vector<Alternative> const& others, std::size_t most);

}  // namespace ein::planner
