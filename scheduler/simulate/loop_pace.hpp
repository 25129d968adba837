// The least seconds of an iteration of each loop: what its busiest link carries in one, and what its busiest rank
// computes. Few iterations are simulated, and in those a rank that is busy may be hidden behind one that began late:
// the second is then shorter than all that follow.
// Example: rank 0 begins after 20 s and takes 1 s an iteration, rank 1 takes 3: iterations 1 and 2 end after 21 and 22
// s, and 3 s is what others take.
#pragma once

#include "scheduler/simulate/simulate.hpp"

namespace ein::scheduler {

/// @param spans  of tasks of a simulated run
Table<schedule::LoopSpecId, double> least_seconds_an_iteration(schedule::Schedule const& schedule,
                                                               Cluster const& cluster, Spans const& spans);

}  // namespace ein::scheduler
