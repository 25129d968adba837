// EinGraph and Plan to Schedule: placement, transfers, order, lifetimes and predictions.
// Pure: the same graph, plan and options give the same schedule.
#pragma once

#include <string>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/plan.hpp"
#include "lib/schedule/schedule.hpp"
#include "scheduler/cluster.hpp"
#include "scheduler/residency.hpp"

namespace ein::scheduler {

struct SchedulerOptions {
    std::string place = "best";  // a placer, or "best": the one whose simulated run on the cluster is the fastest
    InputsPolicy inputs = InputsPolicy::once;
    std::int64_t slice_bytes = 16 << 10;  // see value_parts.hpp
    Cluster cluster = {};                 // that "best" simulates
};

/// The header's graph_text, graph_file and folder are left to the caller.
/// @throws UsageError for an unknown placer
schedule::Schedule make_schedule(graph::EinGraph const& graph, relation::Plan const& plan,
                                 SchedulerOptions const& options = {});

}  // namespace ein::scheduler
