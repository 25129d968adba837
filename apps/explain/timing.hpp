// Predicted seconds of each node, and the critical path of the graph: the chain of nodes, each reading the one before,
// that takes longest, what is moved from one to the next included. Nodes overlap where blocks of one are ready before
// all are, so the path may take more than the simulated run. Example: A and B of 1 s each, C reads both for 2 s, B is
// moved for 1 s: B, C and 4 s.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps::explain {

struct Timing {
    std::string machines;                   // that were simulated
    double makespan = 0;                    // of the simulated run
    std::vector<double> computing, moving;  // seconds by node, all iterations of its loop; moving: of what it makes
    std::vector<std::size_t> path;          // nodes, first to last
    double path_seconds = 0;
};

Timing timing_of(graph::EinGraph const& graph, schedule::Schedule const& schedule,
                 scheduler::Simulation const& simulation, scheduler::Cluster const& cluster, std::string machines);

}  // namespace ein::apps::explain
