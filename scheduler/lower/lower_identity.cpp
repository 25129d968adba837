// An EinSum that gives its operand as it is, and says only how to cut it: no kernel. What each call reads is brought to
// its rank as for any node, and is the node's block: one block, two names.
#include "scheduler/lower/einsum/einsum_calls.hpp"
#include "scheduler/lower/einsum/subblocks.hpp"
#include "scheduler/lower/lower_node.hpp"

namespace ein::scheduler {
namespace {

/// The same blocks on the ranks along mesh axes that the node's sharding does not name.
void add_replicas(graph::EinGraph const& graph, graph::Node const& node, std::vector<Call>& calls) {
    std::size_t const homes = calls.size();
    for (std::int64_t offset : graph::replicas_of(graph.mesh, *node.sharding))
        for (std::size_t c = 0; c < homes && offset > 0; ++c) {
            Call replica = calls[c];
            replica.rank = Rank{replica.rank.value() + static_cast<int>(offset)};
            calls.push_back(std::move(replica));
        }
}

}  // namespace

bool is_identity(graph::EinGraph const& graph, graph::Node const& node, graph::EinSum const& einsum) {
    return einsum.operands() == 1 && einsum.join.op() == scalar::Op::operand && einsum.inputs[0] == einsum.output &&
           einsum.aggregated().empty() && !graph.value(node.inputs[0]).listing &&
           graph.value(node.inputs[0]).dtype == graph.value(node.output).dtype;
}

Holding copied_part(LoweringContext& context, graph::Node const& node, Holding const& from, Box const& part) {
    BlockId const block = context.emit.add_block(from.rank, node.output, context.value(node.output).dtype, part);
    schedule::MovementId const movement = context.tables.identity_movement(node.name, part.order());
    context.emit.copy(from.rank, {movement, from.block, block, view(part)});
    return {from.rank, block, part};
}

void lower_identity(LoweringContext& context, NodeId id, graph::EinSum const& einsum) {
    graph::Node const& node = context.graph.node(id);
    std::vector<Call> calls = placed_calls(context, id, einsum);
    std::size_t const homes = calls.size();
    if (node.replicated) add_replicas(context.graph, node, calls);
    share_leaves(context, node, einsum, calls);
    std::vector<Holding> found;
    context.delivery.exchange([&] {
        for (Call const& call : calls)
            found.push_back(context.delivery.need(node.inputs[0], projected(call.region, einsum.output), call.rank));
    });
    bool const is_carried = context.carried.insides.contains(node.output);
    for (std::size_t c = 0; c < calls.size(); ++c) {
        Box const box = projected(calls[c].region, einsum.output);
        if (found[c].box != box || is_carried) found[c] = copied_part(context, node, found[c], box);
        if (c < homes)
            context.directory.put(node.output, calls[c].group, found[c]);
        else
            context.directory.remember(node.output, box, found[c]);
    }
}

}  // namespace ein::scheduler
