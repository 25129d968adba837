// What is asked of planning.hpp: the command line's options, the machines of --cluster and the plan of --plan-in, read
// and checked.
#pragma once

#include "apps/einplan/einplan_options.hpp"
#include "apps/einplan/planning.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::apps {

struct Machines {
    scheduler::Cluster cluster;
    std::string name;  // for messages
};

/// @throws InputError for a faulty cluster file
Machines read_machines(EinplanOptions const& options);

/// --memory, else the cluster's memory.
std::optional<std::int64_t> budget_of(EinplanOptions const& options, Machines const& machines);
std::optional<std::int64_t> device_memory_of(EinplanOptions const& options);

/// @throws UsageError when the machines have too few places
PlanningOptions planning_options(EinplanOptions const& options, Machines const& machines, int ranks);

/// The plan of --plan-in, priced. @throws InputError unless it is for this graph and as many ranks
std::optional<relation::Plan> given_plan(EinplanOptions const& options, graph::EinGraph const& graph,
                                         std::string const& graph_hash);

}  // namespace ein::apps
