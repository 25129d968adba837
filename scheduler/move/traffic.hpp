// Bytes that cross ranks for each node, and why. Counts what it is given; moves nothing.
// Example: t.begin(node 3); t.count(rank 1, Purpose::agg, Z, 80); t.all()[3].agg == 80, ten times that in a loop of ten
// iterations.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "scheduler/move/cut.hpp"

namespace ein::scheduler {

/// Why bytes go to another rank: a kernel call wants a block as it is cut, partial results are combined, or a value is
/// wanted in another cut than it has.
enum class Purpose { join, agg, repart };

/// Bytes that cross ranks for one node.
struct Traffic {
    std::int64_t join = 0, agg = 0, repart = 0;
    std::int64_t busiest = 0;          // received by the rank that receives most for this node
    std::vector<std::int64_t> inputs;  // for each operand: of join and repart, what came for it
    std::int64_t total() const { return join + agg + repart; }
};

class TrafficCounter {
public:
    TrafficCounter(graph::EinGraph const& graph, int ranks);

    /// What follows is for this node.
    void begin(NodeId node);
    /// What follows is brought for this operand of the node.
    void begin_operand(std::size_t operand) { operand_ = operand; }
    /// Kernel calls of this node want several parts at once as they are.
    void wants_merged_parts() { merges_parts_ = true; }

    /// Whole parts of a value as it is cut (in one block or in subblocks) are an operand of a join; any other region is
    /// cut anew.
    Purpose purpose_of(Cut const& cut, Box const& region) const;
    /// @param bytes  that come to a rank each time that the value changes
    void count(Rank to, Purpose purpose, ValueId value, std::int64_t bytes);

    /// A node has the traffic of another one that is alike.
    void follow(NodeId node, NodeId other) { traffic_[at(node)] = traffic_[at(other)]; }

    std::vector<Traffic> const& all() const { return traffic_; }  // by NodeId

private:
    graph::EinGraph const& graph_;
    std::vector<Traffic> traffic_;        // by NodeId
    std::vector<std::int64_t> changes_;   // by ValueId: how often the value changes, in loops
    std::vector<std::int64_t> received_;  // by rank, for the node that is being lowered
    std::size_t node_ = 0, operand_ = 0;
    bool merges_parts_ = false;
};

}  // namespace ein::scheduler
