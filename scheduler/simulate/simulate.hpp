// How long a schedule will take on a cluster: discrete events in virtual time. Every rank decides what to do next by
// the engine's own rule (lib/schedule/dispatch/dispatcher.hpp: ready tasks in list order, memory admission, limits on
// open transfers); its workers are busy for what tasks cost (simulate/task_costs.hpp), its spills and fetches go
// through its disk one after another, its messages share links (simulate/network.hpp) while they compute. A rank that
// is late delays others as it will. Time 0 is when all inputs are loaded, the makespan is the last task before the
// stores: what einrun reports as seconds.execute. Leaves out: loading and storing, caches, polling delays, and whatever
// else runs on the machines. Deterministic, O((tasks + messages) log) time. Example: rank 0 computes 1 s and sends 1e9
// bytes to rank 1 at 1e9 bytes/s: the makespan is 2 s, rank 1 waits 1 s and communicates 1 s.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::scheduler {

/// A task in the simulated run. A send and its receive both begin when the message does.
struct TaskSpan {
    double begin = -1, end = -1;  // seconds; -1: loads and stores
    int cause_rank = -1;          // the task whose end let this one begin
    OptionalId<TaskId> cause;     // none: nothing did, it began at time 0
};

/// Where a rank's time goes; the three add up to the makespan. With several workers: shares of them.
struct RankTimes {
    double busy = 0;           // workers computing, or at the disk
    double communicating = 0;  // workers without work while messages of this rank are under way
    double waiting = 0;        // nothing to do
};

using Spans = Table<Rank, Table<TaskId, TaskSpan>>;

struct Simulation {
    double makespan = 0;        // with one iteration of each loop
    double all_iterations = 0;  // with as many as there may be
    double efficiency = 1;      // the mean share of the makespan for which ranks compute
    std::vector<RankTimes> ranks;
    Spans spans;

    /// A second run, with a few iterations of each loop: the first has what is done and sent once in it, those behind
    /// it take as long as the last, or as their busiest rank or link (loop_pace.hpp).
    struct Repeated {
        double seconds = 0;  // with tuning::simulated_iterations of each loop, or as many as there may be
        Table<schedule::LoopSpecId, double> each;
    };
    Repeated repeated;  // of schedules with loops
};

/// @param schedule  verified; without repeats (unrolled.hpp)
Simulation simulate(schedule::Schedule const& schedule, Cluster const& cluster);

/// Simulation::all_iterations, in less time where there are loops.
double simulated_seconds(schedule::Schedule const& schedule, Cluster const& cluster);

/// Of the run in which loops have so many iterations, an inner one over all iterations of the outer.
/// Example: the first of 20 iterations takes 9 ms, any other 5 ms, nodes around the loop 1 ms: 105 ms.
double seconds_with(schedule::Schedule const& schedule, Simulation const& simulation,
                    Table<schedule::LoopSpecId, std::int64_t> const& iterations);

/// A simulation that is made when it is asked for.
using SimulationOf = std::function<Simulation const&()>;

/// Seconds of the critical path that one node is to blame for: from the last task back, each task by what let it begin.
struct PathShare {
    std::string node;  // of a kernel or copy; of a message, a spill or a fetch: the tensor that it moves
    double computing = 0, moving = 0;
};
/// Longest first.
std::vector<PathShare> critical_path(schedule::Schedule const& schedule, Simulation const& simulation);

/// The same of each tensor: of tasks that make it, move it, or copy it for others. A fused task counts for each tensor
/// that is inside.
Table<schedule::TensorId, double> held_up(schedule::Schedule const& schedule, Simulation const& simulation);

}  // namespace ein::scheduler
