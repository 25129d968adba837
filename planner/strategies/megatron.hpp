// "megatron": tensor parallelism. Data is either outside (its features whole) or inside (its features cut):
//
// | node                                                        | cut along                          | output is |
// |-------------------------------------------------------------|------------------------------------|-----------|
// | product of outside data with a weight                       | the weight's own labels of the output: heads where
// there are heads, else all in order (column-parallel) | inside | | lookup in a weight | the rows of the table |
// outside   | | anything that reads inside data                             | the labels that are inside; those that it
// contracts leave partial results (row-parallel) | inside, as far as labels are left | | anything else | positions,
// else the batch          | outside   |
//
// What Megatron keeps in a copy on each rank, norms and sums of outside data, is cut by positions here (a node has one
// set of kernel calls): its all-reduce becomes a reduce-scatter and an all-gather, which move the same bytes. Example:
// Z = relu(X U) W on 4 calls: X U cut along U's columns, Z along the contracted label. Source: Shoeybi et al.,
// Megatron-LM, 2019, section 3; Korthikanti et al., 2022, for what is outside; [E] section 9.
#pragma once

#include "lib/relation/plan.hpp"

namespace ein::planner {

std::vector<relation::NodePlan> cut_megatron(graph::EinGraph const& graph, std::int64_t calls);

/// The same on a grid of `data` times calls / data: every node that has a batch or positions is cut along those first,
/// the batch before positions, in `data` parts.
std::vector<relation::NodePlan> cut_data_times_tensor(graph::EinGraph const& graph, std::int64_t calls,
                                                      std::int64_t data);

}  // namespace ein::planner
