// From an EinGraph to a Plan: a list of named passes, each verified after it ran. Pure and deterministic: the same
// graph and options always give the same plan.
// Leaves which rank does what to scheduler/.
// Example: plan(graph, {.ranks = 4}).node(NodeId{0}).parts are the parts of the first node, 4 kernel calls in all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "planner/costs/cost.hpp"

namespace ein::planner {

struct PlannerOptions {
    int ranks = 1;
    std::int64_t calls = 0;               // kernel calls for each node (--parts); 0: as many as ranks
    std::string decompose = "eindecomp";  // or another of strategies/strategies.hpp
    Unit unit = Unit::bytes;              // what eindecomp and exact minimise
    bool ignore_off_path = false;         // as published; see decompose.hpp
    std::size_t candidate_limit = 0;      // 0: see candidate_table.hpp
    double column_work = 1 << 24;         // see other_plans(): joins that a call of uneven columns evaluates, at least
    double time_limit = 0;                // seconds for exact; 0: counted work, the same everywhere
    double work_limit = 0;                // work of exact where no seconds are given; 0: a few seconds' worth
};

/// Decides parts and fills in costs. A node whose extents allow fewer kernel calls has fewer.
/// @throws UsageError for a strategy that this version does not have
relation::Plan plan(graph::EinGraph const& graph, PlannerOptions const& options);

/// Plans that are worth a schedule beside `first`, the one of plan(). Beside eindecomp's: two that move least by what
/// ranks hold already (residency_cost.hpp, resident/resident_table.hpp), for the published cost charges what is in
/// place, and a value once for each of its readers; and where the number of ranks has an awkward factor and kernel
/// calls are large, uneven columns (column_partition.hpp) and shared boxes (shared_boxes.hpp). Of very many kernel
/// calls only the one that moves least by the model of residency_cost.hpp.
std::vector<relation::Plan> other_plans(graph::EinGraph const& graph, PlannerOptions const& options,
                                        relation::Plan const& first);

/// `plan` with other partition vectors, what loops carry tied together, and priced.
relation::Plan with_nodes(graph::EinGraph const& graph, relation::Plan plan, std::vector<relation::NodePlan> nodes);

/// Bytes that each of some plans moves by the model of residency_cost.hpp: for when scheduling each of them would take
/// too long.
std::vector<double> moved_by_model(graph::EinGraph const& graph, std::vector<relation::Plan> const& plans);
using MovedByPlans = std::function<std::vector<double>(std::vector<relation::Plan> const&)>;
/// The plan that moves least of some, the first of those that move the same.
/// @param moved_by  is asked where there are several
relation::Plan least_moving(std::vector<relation::Plan> plans, MovedByPlans const& moved_by);

}  // namespace ein::planner
