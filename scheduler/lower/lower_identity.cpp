// An EinSum that gives its operand as it is, and says only how to cut it: no kernel. What each call reads is brought to its rank as for any node,
// and is the node's block: one block, two names.
#include "scheduler/lower/lowering.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

bool Lowering::is_identity(graph::Node const& node, graph::EinSum const& einsum) const {
    return einsum.operands() == 1 && einsum.join.op() == scalar::Op::operand && einsum.inputs[0] == einsum.output &&
           einsum.aggregated().empty() && value(node.inputs[0]).dtype == value(node.output).dtype;
}

void Lowering::lower_identity(graph::Node const& node, graph::EinSum const& einsum, relation::NodePlan const& plan) {
    std::vector<Call> calls = calls_of(node, einsum, plan);
    std::size_t const homes = calls.size();
    if (node.replicated) add_replicas(node, calls);
    share_leaves(node, einsum, calls);
    std::vector<Holding> found;
    residency_.exchange([&] {
        for (Call const& call : calls)
            found.push_back(residency_.need(node.inputs[0], projected(call.region, einsum.output), call.rank));
    });
    for (std::size_t c = 0; c < calls.size(); ++c) {
        Box const box = projected(calls[c].region, einsum.output);
        if (found[c].box != box || carried_.insides.contains(node.output)) found[c] = copied(node, found[c], box);
        if (c < homes)
            residency_.put(node.output, calls[c].group, found[c]);
        else
            residency_.remember(node.output, box, found[c]);
    }
}

/// The same blocks on the ranks along mesh axes that the node's sharding does not name.
void Lowering::add_replicas(graph::Node const& node, std::vector<Call>& calls) const {
    std::size_t const homes = calls.size();
    for (std::int64_t offset : graph::replicas_of(graph_.mesh, *node.sharding))
        for (std::size_t c = 0; c < homes && offset > 0; ++c) {
            Call replica = calls[c];
            replica.rank = Rank{replica.rank.value() + static_cast<int>(offset)};
            calls.push_back(std::move(replica));
        }
}

/// A part of a block as a block of the node.
Holding Lowering::copied(graph::Node const& node, Holding const& from, Box const& part) {
    SectionBuilder& here = on(from.rank);
    BlockId const block = here.add_block(node.output.value(), value(node.output).dtype, part);
    std::int32_t const movement = tables_.identity_movement(node.name, part.order());
    here.add({.kind = TaskKind::copy, .spec = movement, .inputs = {from.block}, .output = block, .region = part});
    return {from.rank, block, part};
}

}  // namespace ein::scheduler
