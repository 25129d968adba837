// The ways to cut a graph that have a name: EinDecomp's own search is in decompose.hpp, every other one is a small table of
// rules that looks at each node once. All give the same kind of plan, for any graph and any number of calls; where a rule
// has nothing (more) to cut, a node has fewer calls than were asked for, and the summary says so.
//
// | name      | rule                                                                    | where    |
// |-----------|-------------------------------------------------------------------------|----------|
// | eindecomp | least cost                                                              | decompose.hpp |
// | exact     | least cost, proven                                                      | exact.hpp |
// | moved     | least bytes moved, by our own model                                     | least_moved.hpp |
// | sqrt      | output in a square grid of two labels                                   | square_root.hpp |
// | 3d        | both sides and the contracted labels of a product alike                 | grids.hpp |
// | summa     | both sides of a product alike, contracted labels whole                  | grids.hpp |
// | 25d       | both sides alike, contracted labels in a few copies                     | grids.hpp |
// | data      | batch                                                                   | by_role.hpp |
// | sequence  | positions                                                               | by_role.hpp |
// | attention | heads where there are heads, else positions                             | by_role.hpp |
// | megatron  | features: out of a first product with weights, into the next one        | megatron.hpp |
#pragma once

#include <string>
#include <vector>

#include "lib/relation/plan.hpp"

namespace ein::planner {

/// "eindecomp" first.
std::vector<std::string> const& strategy_names();

/// @throws UsageError for a strategy that is unknown, with the nearest
void check_strategy(std::string const& name);

/// Parts of every node by a strategy of the table but "eindecomp" and "exact".
std::vector<relation::NodePlan> cut_by_strategy(std::string const& name, graph::EinGraph const& graph,
                                                std::int64_t calls);

}  // namespace ein::planner
