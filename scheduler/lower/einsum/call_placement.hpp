// Kernel calls before they are tasks, and where every node's go: the plan says, or the caller decided before, or a
// placer chooses by who holds what. Keeps the ranks and numbers of calls of all nodes for reports, plan files and
// iterations of loops.
// Example: placement.place(node, calls, held) gives each of the calls its rank; placement.ranks() has them by NodeId
// afterwards.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/base/partition.hpp"
#include "lib/relation/plan.hpp"
#include "scheduler/place/placement.hpp"

namespace ein::scheduler {

/// One kernel call of an EinSum, or one output block of a Move or Reshape.
struct Call {
    Box region;             // an interval for each label; for Move and Reshape: the output block
    std::size_t group = 0;  // number of its output block in the node's grid
    Rank rank;
};

/// A call for each block of a value that is cut in these parts, in C order, not placed yet.
std::vector<Call> calls_of_blocks(Shape const& shape, Parts const& parts);

class CallPlacement {
public:
    /// @param outlines  of nodes, by NodeId (outlines.hpp)
    /// @param decided  ranks of nodes' calls, by NodeId; where it has none, `placer` says
    CallPlacement(relation::Plan const& plan, std::vector<std::uint64_t> const& outlines, Placer placer,
                  std::vector<std::vector<Rank>> decided);

    /// @param held  for each call, who has how much of its operands
    void place(NodeId node, std::vector<Call>& calls, std::vector<std::vector<Held>> held);
    /// The node's calls were put together: so many are left.
    void merge(NodeId node, std::size_t calls) { counts_[index(node)] = static_cast<std::int64_t>(calls); }
    /// The node's blocks lie where those of another node do.
    void follow(NodeId node, NodeId other);

    std::vector<std::vector<Rank>> const& ranks() const { return ranks_; }  // of each node's calls, by NodeId
    std::vector<std::int64_t> const& counts() const { return counts_; }     // of calls, by NodeId

private:
    /// Of the nodes of an outline that were placed.
    struct Latest {
        std::vector<Rank> ranks;
        int changes = 0;
    };
    std::vector<Rank> placed(NodeId node, PlaceQuery const& query);
    PlaceQuery query(std::vector<std::vector<Held>> held) const;
    static std::size_t index(NodeId node) { return static_cast<std::size_t>(node.value()); }

    relation::Plan const& plan_;
    std::vector<std::uint64_t> const& outlines_;
    Placer placer_;
    std::vector<std::vector<Rank>> decided_, ranks_;    // by NodeId
    std::vector<std::int64_t> counts_;                  // by NodeId
    std::unordered_map<std::uint64_t, Latest> latest_;  // by outline
};

}  // namespace ein::scheduler
