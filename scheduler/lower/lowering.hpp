// From EinGraph and Plan to tasks: nodes in their order, each lowered by its kind (lower_node.hpp), loops opened and
// closed around them (loop_lowering.hpp), outputs stored at last. Tasks are appended to every rank's section in one
// global order.
// Example: lower(graph, plan, {.place = placer("pattern")}, header).sections[0] is what rank 0 does.
#pragma once

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

/// Enters a graph's tensors, inputs and outputs.
void enter_values(graph::EinGraph const& graph, schedule::Header& header);

/// Tensors, inputs and outputs are entered into `header`, as are the tables that tasks refer to.
Lowered lower(graph::EinGraph const& graph, relation::Plan const& plan, LoweringOptions const& options,
              schedule::Header& header);

}  // namespace ein::scheduler
