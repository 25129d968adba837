// The decisions of a plan as JSON that people read and edit:
//   {"einplan": 1, "graph_hash": "9f..", "ranks": 4, "strategy": "eindecomp",
//    "parts": {"AB": {"i": 2, "j": 1, "k": 2}}, "place": {"AB": [0, 1, 2, 3]}}
// "place" gives the rank of each kernel call, in the order of relation::call_labels; a node that it leaves out is
// placed by the scheduler. A node goes by the name of its output value; a structural node's axes are "0", "1", ...
// Costs are not in it: they are computed again (planner/costs/cost.hpp) from what was read.
#pragma once

#include <string>

#include "lib/base/json_fwd.hpp"
#include "lib/relation/plan.hpp"

namespace ein::relation {

/// The same plan always gives the same bytes.
std::string write_plan(graph::EinGraph const& graph, Plan const& plan, std::string const& graph_hash);

/// Reads a plan for `graph`. A label that is left out has one part; every node must be there.
/// @param file        names the file in messages
/// @param graph_hash  that the plan must be for
/// @throws InputError with every fault: another graph or version, unknown nodes or labels, a part below 1 or above its
/// extent, another number of ranks than kernel calls, a rank that is not there
Plan plan_from_json(Json const& document, std::string const& file, graph::EinGraph const& graph,
                    std::string const& graph_hash);

}  // namespace ein::relation
