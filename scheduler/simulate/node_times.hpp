// How long each node of a simulated run takes: the time during which tasks of it run, on the rank where that is
// longest, tasks that run at once counted once. Example: two applies of C run on rank 0 from 0 s to 2 s and from 1 s to
// 3 s, one on rank 1 from 0 s to 2 s: C computes for 3 s.
#pragma once

#include <map>
#include <string>

#include "scheduler/simulate/simulate.hpp"

namespace ein::scheduler {

struct NodeTime {
    double computing = 0;  // seconds of kernels and copies, of the node
    double moving = 0;     // seconds of messages, spills and fetches, of the tensor
    friend bool operator==(NodeTime const&, NodeTime const&) = default;
};

/// By name of node or tensor (a node has its output's), with one iteration of each loop.
std::map<std::string, NodeTime> node_times(schedule::Schedule const& schedule, Simulation const& simulation,
                                           Cluster const& cluster);

}  // namespace ein::scheduler
