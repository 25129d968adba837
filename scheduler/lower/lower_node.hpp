// The lowering of each kind of node, a function and a file each (lower_einsum.cpp, lower_identity.cpp, lower_move.cpp,
// lower_reshape.cpp): its calls are placed, their operands brought, and tasks appended to every rank's section. By
// partial evaluation: block coordinates are known, data is not looked at.
// Source: [P] sections 3 and 5 (Load, Pair, Apply, Reduce), [E] section 4 (join, aggregation, repartition).
#pragma once

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

/// A TRA join and aggregation over blocks.
void lower_einsum(LoweringContext& context, NodeId id, graph::EinSum const& einsum);

/// Whether an EinSum gives its operand as it is, and says only how to cut it.
bool is_identity(graph::EinGraph const& graph, graph::Node const& node, graph::EinSum const& einsum);
void lower_identity(LoweringContext& context, NodeId id, graph::EinSum const& einsum);

void lower_move(LoweringContext& context, NodeId id, graph::Move const& move);
void lower_reshape(LoweringContext& context, NodeId id);
/// The same of sparse tensors into a sparse one (lower_listed_move.cpp, lower_listed_reshape.cpp).
void lower_listed_move(LoweringContext& context, NodeId id, graph::Move const& move);
void lower_listed_reshape(LoweringContext& context, NodeId id);

/// A part of a block as a block of the node's own value, on the same rank.
Holding copied_part(LoweringContext& context, graph::Node const& node, Holding const& from, Box const& part);

}  // namespace ein::scheduler
