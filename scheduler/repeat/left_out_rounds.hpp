// Of a graph's rounds (period.hpp) those in the middle, which are left out while its nodes are lowered: as soon as all
// nodes of a round have been made again from those of the round before, wherever in a round that is. What comes behind
// them reads what the last nodes in front made.
// Example: from layer 1 on nodes are made again as those of the layer before, but for its first three; then all from
// the fourth node of layer 2 to the third of layer 31 are left out, or so many layers less that enough stay behind.
#pragma once

#include "scheduler/lower/lowering.hpp"
#include "scheduler/repeat/period.hpp"

namespace ein::scheduler {

struct LeftOutRounds {
    LeftOut nodes;
    std::size_t rounds = 0;

    /// Where one of the nodes that are lowered, counted without those, stands in the graph.
    std::size_t whole(std::size_t lowered) const { return lowered < nodes.first ? lowered : lowered + nodes.nodes; }
};

class RoundsLeaver {
public:
    /// @param alike  rounds of nodes that have to be alike, one behind the other
    RoundsLeaver(graph::EinGraph const& graph, Period const& period, std::size_t alike);

    /// What LeaveOut is asked.
    std::optional<LeftOut> after(NodeId node, NodeId like);
    /// What was left out, if anything was.
    std::optional<LeftOutRounds> const& found() const { return found_; }

private:
    /// Whether what the rounds before `end` read of those before them are blocks of nodes that are alike too: their
    /// numbers are as far apart.
    bool reads_alike(std::size_t end) const;

    graph::EinGraph const& graph_;
    Period const& period_;
    std::size_t const nodes_alike_;
    std::vector<std::optional<NodeId>> const producers_;
    std::vector<NodeId> like_;  // of the nodes so far
    std::size_t alike_ = 0;     // of them, the last ones that are like those a round before
    std::optional<LeftOutRounds> found_;
};

}  // namespace ein::scheduler
