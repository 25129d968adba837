// A Plan: how every node is cut. The partition vector of a node fixes a join (its kernel calls) and an aggregation
// (over the labels that its output lacks); an edge whose two ends are cut differently is a repartition. Which rank does
// what is in the Schedule.
// Example: matmul labels (i, j, k) with parts (2, 4, 2): 16 kernel calls, 4 partial results for each of 2 x 2 output
// blocks.
// Source: [E] sections 4 and 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/partition.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::relation {

/// The published worst-case cost, in elements, and in bytes (each element at the size of its dtype).
struct Cost {
    double join = 0, agg = 0, repart = 0;
    double total() const { return join + agg + repart; }
    Cost& operator+=(Cost const& other);
    friend bool operator==(Cost const&, Cost const&) = default;
};

struct NodePlan {
    Parts parts;      // EinSum: for each label; Move and Reshape: for each axis of the output
    Cost elements{};  // this node, its input edges' repartitions included
    Cost bytes{};
    std::int64_t candidates = 0;  // partition vectors that were considered
    std::vector<Rank> ranks{};    // of each kernel call (see call_labels); empty: the scheduler places them
};

/// Whether calls have the same parts and ranks: what of a plan decides about a node's tasks.
inline bool are_cut_alike(NodePlan const& one, NodePlan const& other) {
    return one.parts == other.parts && one.ranks == other.ranks;
}

struct Plan {
    int ranks = 1;
    std::int64_t calls = 1;       // kernel calls wanted per node (p)
    std::string strategy;         // "eindecomp", ...
    std::vector<NodePlan> nodes;  // by NodeId
    std::optional<double> gap;    // the cost is at most 1 + gap times the least: 0 is proven least, nothing unknown

    NodePlan const& node(NodeId id) const { return nodes[static_cast<std::size_t>(id.value())]; }
    Cost elements() const;  // sums over the nodes
    Cost bytes() const;
};

/// Ranks that placements use, the first ones: where a plan wants fewer calls of each node than there are ranks, the
/// others are left idle.
int used_ranks(Plan const& plan);

/// Puts the blocks of nodes with a sharding (graph::Node::sharding) on its ranks.
void keep_shardings(graph::EinGraph const& graph, Plan& plan);

/// What `parts` (one a label) says of these labels, in their order.
Parts at_labels(Parts const& parts, std::vector<int> const& labels);

/// The parts of a node's output axes.
Parts output_parts(graph::Node const& node, NodePlan const& plan);
/// The parts that a node needs of its input `operand`, for each axis (a diagonal's two axes have equal parts).
/// Move and Reshape read regions, not parts: nothing.
std::optional<Parts> input_parts(graph::Node const& node, NodePlan const& plan, std::size_t operand);

/// The order of a node's kernel calls: C order over these labels, the output's and then the aggregated ones, so that
/// calls of one output block are neighbours. Move and Reshape: a call for each output block, in C order.
std::vector<int> call_labels(graph::EinSum const& einsum);
/// Kernel calls that make, or share in, one block of the output: with more than one, each leaves a partial result.
std::int64_t calls_of_a_block(graph::EinSum const& einsum, Parts const& parts);

using graph::cut_extents;  // what the parts of a node count along
using graph::cut_name;

/// @throws InternalError unless every node has one part count >= 1 and at most its extent (1 for extent 0) for each
/// label or axis, the one that the graph fixes where it does, and as many ranks below the plan's as kernel calls, or
/// none
void verify(graph::EinGraph const& graph, Plan const& plan);

}  // namespace ein::relation
