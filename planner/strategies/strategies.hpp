// The ways to cut a graph that have a name: EinDecomp's own search is in decompose.hpp, every other one is a small
// table of rules that looks at each node once. All give the same kind of plan, for any graph and any number of calls;
// where a rule has nothing (more) to cut, a node has fewer calls than were asked for, and the summary says so. The
// rows, with what each cuts, are in strategies.cpp; `einplan --help` shows them.
#pragma once

#include <string>
#include <vector>

#include "lib/relation/plan.hpp"

namespace ein::planner {

/// "eindecomp" first.
std::vector<std::string> const& strategy_names();

/// A line for each, its name and what it cuts: for --help.
std::string strategy_list();

/// @throws UsageError for a strategy that is unknown, with the nearest
void check_strategy(std::string const& name);

/// Parts of every node by a strategy of the table but "eindecomp" and "exact".
std::vector<relation::NodePlan> cut_by_strategy(std::string const& name, graph::EinGraph const& graph,
                                                std::int64_t calls);

}  // namespace ein::planner
