// Whether a graph had better run on one rank: small graphs take longer to send than to compute.
// Asked only where one rank may be faster: where it could do all operations in the time of the run.
// Example: 4 ranks take 25 us, 20 of them in messages; one takes 6 us.
#pragma once

#include "apps/einplan/planning.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

struct OneRank {
    double planned = 0, alone = 0;  // seconds that the simulator predicts
};

/// @param simulated  of what was planned; not asked for where it is not compared
/// @return nothing where one rank is not faster, does not have the memory, or was not compared: the graph names a mesh,
///         or the schedule is so large that simulating it would take as long as making it
std::optional<OneRank> faster_alone(graph::EinGraph const& graph, PlanningOptions options, Planned const& planned,
                                    scheduler::SimulationOf const& simulated);

}  // namespace ein::apps
