// Nodes that come again and again, one round after another: layers of a network that are alike and cut alike, each
// with weights of its own. What is found is what the graph and the plan say; whether their tasks are alike too is seen
// when they are there (rounds.hpp).
// Example: a = A x, b = B a, c = C b, d = D c, all cut alike: rounds of one node, a to d; A becomes B, and a b.
#pragma once

#include <optional>
#include <vector>

#include "lib/relation/plan.hpp"

namespace ein::scheduler {

struct Period {
    std::size_t first = 0, nodes = 0;  // where the first round begins, and nodes of a round
    std::size_t end = 0;               // nodes from `first` to there are as those a round before them
    std::vector<ValueId> next;         // by ValueId: what takes its place in the next round; itself where nothing does

    std::size_t rounds() const { return (end - first) / nodes; }
    /// By ValueId: whose place it takes, likewise.
    std::vector<ValueId> before() const;
};

/// The rounds that most nodes are in. Of graphs without loops, sparse values and shardings.
std::optional<Period> find_period(graph::EinGraph const& graph, relation::Plan const& plan);

}  // namespace ein::scheduler
