// Seconds that no schedule of a plan goes below, on a cluster, by computing alone: the work of all nodes shared by the
// ranks that the plan uses, and the longest path of nodes, each as fast as its calls allow. Cheap: no schedule is made.
// A search leaves out plans whose bound is above what it has.
// Example: a product of 1 s of work in 4 calls on 8 ranks: 0.25 s; a chain of two of them 0.5 s.
#pragma once

#include <span>

#include "lib/relation/plan.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::scheduler {

/// What the nodes of a graph take, whoever does it.
class PlanBound {
public:
    PlanBound(graph::EinGraph const& graph, Cluster const& cluster);

    double of(relation::Plan const& plan) const;
    /// Of a plan that differs from one whose schedule is known in few nodes: all that these nodes, their operands and
    /// their readers hold that one up may go, but for their work. What is beyond them stays as long as it was, which
    /// is likely and not certain: other ranks may make it. 0 where there are loops.
    /// @param seconds, held_up  of the schedule of `known` (simulate.hpp)
    double beside(relation::Plan const& varied, relation::Plan const& known, double seconds,
                  std::span<double const> held_up) const;
    /// Of the plans for so many ranks whose nodes have any number of calls up to `calls`.
    double of_any(int ranks, std::int64_t calls) const;

private:
    template <class Calls>
    double bound(int ranks, Calls const& calls) const;

    graph::EinGraph const& graph_;
    double per_task_;
    std::vector<double> work_;  // seconds of each node on one rank, in all iterations
    std::vector<double> iterations_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> readers_;
};

}  // namespace ein::scheduler
