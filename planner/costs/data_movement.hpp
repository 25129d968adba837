// How much a Move or a Reshape takes of an input, and whether the blocks of both sides line up, so that each output
// block is made from one input block with nothing left over.
// Example: reshaping (6, 64) cut 3 x 2 to (6, 4, 16) cut 3 x 2 x 1 lines up: 64 elements in 2 are 4 heads in 2.
#pragma once

#include <vector>

#include "lib/base/partition.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::planner {

/// Axes of both sides of a Reshape, [begin, end), that hold the same elements among themselves.
struct AxisGroup {
    std::size_t from_begin, from_end, to_begin, to_end;
};

/// The smallest groups in order: those of (6, 64) and (6, 4, 16) are 6 | 6 and 64 | 4, 16. Shapes without elements have
/// none.
std::vector<AxisGroup> axis_groups(Shape const& from, Shape const& to);

/// Elements of the output that come from input `operand` of a Move or Reshape.
Extent moved_elements(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand);

/// The share of what a Move takes along one axis that lies in the block which takes it, where both sides are cut in
/// `parts`: all but what a shift brings over each boundary between parts, the halo. Steps other than 1 count as if
/// nothing did, unless the axis is not cut.
double share_in_line(graph::Move::Region const& region, std::size_t axis, Extent from, Extent to, std::int64_t parts);

/// Elements that a Move or Reshape takes of input `operand` out of other blocks than that which takes them: none where
/// blocks line up, halos where both sides are cut in as many parts, else all.
double misplaced_elements(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand,
                          Parts const& producer, Parts const& parts);

/// Whether input `operand`, cut by `producer`, gives a Move or Reshape whose output is cut by `parts` whole blocks.
/// May say no where they line up in a way that it does not know.
bool blocks_line_up(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand, Parts const& producer,
                    Parts const& parts);

}  // namespace ein::planner
