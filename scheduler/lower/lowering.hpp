// From EinGraph and Plan to tasks: nodes in their order, each lowered by its kind (lower_node.hpp), loops opened and
// closed around them (loop_lowering.hpp), outputs stored at last. Tasks are appended to every rank's section in one
// global order.
// Example: lower(graph, plan, {.place = placer("pattern")}, header).sections[0] is what rank 0 does.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

/// Sections, and how they came about.
struct Lowered {
    Table<Rank, schedule::Section> sections;
    std::vector<std::vector<Rank>> ranks;  // of each node's calls, by NodeId
    std::vector<std::int64_t> calls;       // of each node, by NodeId
    std::vector<Traffic> traffic;          // by NodeId
    std::vector<Layout> layouts;           // by ValueId
};

/// Nodes, one behind the other, that are not lowered. Values take the places of theirs for whoever comes behind them.
struct LeftOut {
    std::size_t first = 0, nodes = 0;
    std::size_t round = 0;                               // nodes before them that they are like, as are those behind
    std::vector<std::pair<ValueId, ValueId>> stand_ins;  // what they would have made, and what is read instead

    std::size_t end() const { return first + nodes; }
    bool has(std::size_t node) const { return first <= node && node < end(); }
};

/// Asked behind each node, with the one whose tasks were made again for it (itself, where it was lowered): whether
/// those behind it are left out. Not asked again where they are.
using LeaveOut = std::function<std::optional<LeftOut>(NodeId node, NodeId like)>;

/// Enters a graph's tensors, inputs and outputs.
void enter_values(graph::EinGraph const& graph, schedule::Header& header);

/// Tensors, inputs and outputs are entered into `header`, as are the tables that tasks refer to.
/// @param leave_out  of graphs without loops in their order. Moments count the nodes that are lowered; what is known of
/// the others, and of their values, is empty
Lowered lower(graph::EinGraph const& graph, relation::Plan const& plan, LoweringOptions const& options,
              schedule::Header& header, LeaveOut const& leave_out = {});

}  // namespace ein::scheduler
