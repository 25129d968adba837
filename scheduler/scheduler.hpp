// EinGraph and Plan to Schedule: placement, transfers, order, lifetimes and predictions.
// Pure: the same graph, plan and options give the same schedule.
#pragma once

#include <string>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/plan.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "scheduler/fusion/fused_groups.hpp"
#include "scheduler/lower/einsum/split_call.hpp"
#include "scheduler/move/block_directory.hpp"
#include "scheduler/move/block_mover.hpp"
#include "scheduler/move/collectives.hpp"
#include "scheduler/move/delivery.hpp"
#include "scheduler/move/messages.hpp"
#include "scheduler/move/traffic.hpp"
#include "scheduler/order/order.hpp"
#include "scheduler/simulate/cluster.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

struct SchedulerOptions {
    std::string place = "best";  // a placer, or "best": the one whose simulated run on the cluster is the fastest (of
                                 // very many calls: greedy)
    InputsPolicy inputs = InputsPolicy::once;
    Order order = Order::as_given;
    std::int64_t subblock_bytes = tuning::least_subblock_bytes;  // see lowering_context.hpp
    Staging staging = {};
    SplitRule split = {};
    Messages messages = {};
    relation::ListedBound listed = {};                    // of sparse leaves: how many elements their boxes list
    relation::ListedHull hull = {};                       // and where in them
    Cluster cluster = {};                                 // that "best" simulates
    bool search = true;                                   // "best" looks at ia too, for graphs of few nodes
    bool verify = true;                                   // what leaves; false: the caller does, of what it takes
    bool simulate = false;                                // whatever `place` is, so that the makespan is known
    std::optional<FusionLimits> fusion = FusionLimits();  // none: devices do not run kernels piece by piece
    std::optional<std::int64_t> take_over =
        tuning::least_taken_over;             // bytes of blocks whose memory results take over; none: of no block
    std::optional<std::int64_t> memory = {};  // bytes that a rank may hold: no room is given beyond (memory/room.hpp)
    double repeats_from = tuning::least_repeated_calls;  // kernel calls; of plans that are not simulated
    bool reproducible = false;  // of a graph that graph/summation_order.hpp prepared: each sum in one kernel call
};

/// A schedule and how it came about.
struct Scheduled {
    schedule::Schedule schedule;                // the header's graph_text, graph_file and folder are left to the caller
    std::vector<std::vector<Rank>> ranks;       // of each node's kernel calls (see relation::NodePlan), by NodeId
    std::vector<std::int64_t> calls;            // of each node, cells that were merged counted once, by NodeId
    std::vector<Traffic> traffic;               // bytes that cross ranks for each node, by NodeId
    std::vector<Layout> layouts;                // by ValueId
    double makespan = 0;                        // seconds on the options' cluster, by simulation; 0: not simulated
    Table<schedule::TensorId, double> held_up;  // of them, those for which each tensor is to blame (critical path);
                                                // empty where there are loops, whose iterations overlap
};

class KeptSchedules;

/// A node whose plan names ranks is placed there, whatever the options say.
/// @param kept  where a search that asks again keeps schedules that were simulated
/// @throws UsageError for an unknown placer
Scheduled schedule_plan(graph::EinGraph const& graph, relation::Plan const& plan, SchedulerOptions const& options = {},
                        KeptSchedules* kept = nullptr);

/// The larger of what the busiest rank sends and what the busiest one receives, sparse inputs that are loaded again
/// (loaded_again.hpp) counted as received.
std::int64_t busiest_bytes(schedule::Schedule const& schedule);

/// What placements are compared by.
struct ScheduleCost {
    double makespan = 0;
    std::int64_t busiest_bytes = 0;
};
ScheduleCost cost_of(Scheduled const& made);

/// Whether the first is to be preferred: the faster one by simulation; of two that differ by less than the simulation
/// errs, the one whose busiest rank moves fewer bytes.
bool better(ScheduleCost const& a, ScheduleCost const& b);

/// The schedule alone.
schedule::Schedule make_schedule(graph::EinGraph const& graph, relation::Plan const& plan,
                                 SchedulerOptions const& options = {});

}  // namespace ein::scheduler
