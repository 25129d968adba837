// Matrix multiplication on grids of processes, for every EinSum that is a product: labels of the left side (first
// operand and output), of the right side (second operand and output) and contracted ones (both operands, not in the
// output) are three groups, and a group's parts are the product of its labels'. Labels that both operands and the
// output have, and those that one operand alone aggregates, are cut only where the three groups have too few. Other
// nodes have one group for each axis of the output; "3d" cuts them alike, "summa" and "25d" as "sqrt" does.
//
// "3d": the three groups alike. Example: a matmul on 8 calls: (2, 2, 2).
//   Source: Agarwal, Balle, Gustavson, Joshi, Palkar, 1995.
// "summa": the output in a grid as square as possible, contracted labels whole. Example: 16 calls: (4, 1, 4).
//   Source: van de Geijn, Watts, 1997.
// "25d": c copies of the output's grid, each with 1/c of the contracted labels; c <= p^(1/3) such that the grid is
//   squarest, the larger c among equals. Example: 32 calls: (4, 2, 4); 16: (4, 1, 4). Source: Solomonik, Demmel, 2011;
//   there memory bounds c too, here it does not.
#pragma once

#include "lib/relation/plan.hpp"

namespace ein::planner {

std::vector<relation::NodePlan> cut_3d(graph::EinGraph const& graph, std::int64_t calls);
std::vector<relation::NodePlan> cut_summa(graph::EinGraph const& graph, std::int64_t calls);
std::vector<relation::NodePlan> cut_25d(graph::EinGraph const& graph, std::int64_t calls);

/// c of "25d" for so many calls.
std::int64_t copies_25d(std::int64_t calls);

}  // namespace ein::planner
