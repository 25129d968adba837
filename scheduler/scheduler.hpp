// EinGraph and Plan to Schedule: placement, transfers, order, lifetimes and predictions.
// Pure: the same graph, plan and options give the same schedule.
#pragma once

#include <string>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/plan.hpp"
#include "lib/schedule/schedule.hpp"
#include "scheduler/residency.hpp"

namespace ein::scheduler {

struct SchedulerOptions {
    std::string place = "best";  // a placer, or "best": the one whose busiest rank moves fewest bytes
    InputsPolicy inputs = InputsPolicy::once;
    std::int64_t slice_bytes = 16 << 10;  // see lowering.hpp
};

/// A schedule and how it came about.
struct Scheduled {
    schedule::Schedule schedule;           // the header's graph_text, graph_file and folder are left to the caller
    std::vector<std::vector<Rank>> ranks;  // of each node's kernel calls (see relation::NodePlan), by NodeId
    std::vector<Traffic> traffic;          // bytes that cross ranks for each node, by NodeId
    std::vector<Layout> layouts;           // by ValueId
};

/// A node whose plan names ranks is placed there, whatever the options say.
/// @throws UsageError for an unknown placer
Scheduled schedule_plan(graph::EinGraph const& graph, relation::Plan const& plan, SchedulerOptions const& options = {});

/// The schedule alone.
schedule::Schedule make_schedule(graph::EinGraph const& graph, relation::Plan const& plan,
                                 SchedulerOptions const& options = {});

}  // namespace ein::scheduler
