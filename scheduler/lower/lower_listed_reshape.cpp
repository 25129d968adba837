// A Reshape of a sparse tensor: what blocks list gets its new coordinates on the rank that has it; what an output block
// has of others comes as a sparse block of its box, and all are put together.
#include <algorithm>

#include "lib/relation/listed/move_boxes.hpp"
#include "lib/tensor/reshape_runs.hpp"
#include "scheduler/lower/lower_node.hpp"

namespace ein::scheduler {
namespace {

class ListedReshapeLowering {
public:
    ListedReshapeLowering(LoweringContext& context, NodeId id)
        : context_(context),
          id_(id),
          node_(context.graph.node(id)),
          input_(node_.inputs[0]),
          from_(context.value(input_).shape),
          to_(context.value(node_.output).shape),
          reshape_(context.tables.reshape({node_.name, from_, to_})) {}

    void run() {
        std::vector<Call> calls = calls_of_blocks(to_, context_.plan.node(id_).parts);
        std::vector<std::vector<Held>> held;
        for (Call const& call : calls) {
            held.emplace_back();
            for (Box const& box : relation::boxes_before_reshape(from_, to_, call.region)) {
                auto const found = context_.directory.held(input_, box);
                held.back().insert(held.back().end(), found.begin(), found.end());
            }
        }
        context_.placement.place(id_, calls, std::move(held));
        for (Call const& call : calls)
            context_.directory.put(node_.output, call.group, {call.rank, assembled(call), call.region});
    }

private:
    BlockId assembled(Call const& call) {
        std::vector<BlockId> here, refolded;
        if (context_.delivery.is_read_by_all(input_))
            for (Box const& box : relation::boxes_before_reshape(from_, to_, call.region))
                here.push_back(
                    context_.delivery.need_listed(input_, box, tensor::in_order(box.order()), call.rank).block);
        else
            find(call, here, refolded);
        if (!here.empty()) {
            BlockId const block = context_.mover.add_listed_block(node_.output, call.region,
                                                                  tensor::in_order(call.region.order()), call.rank);
            context_.emit.refold(call.rank, reshape_, here, block);
            refolded.push_back(block);
        }
        if (refolded.size() == 1) return refolded[0];
        return context_.mover
            .assemble(node_.output, refolded, call.region, tensor::in_order(call.region.order()), call.rank)
            .block;
    }

    /// Blocks of the input that the rank has, and what others have of the output's.
    void find(Call const& call, std::vector<BlockId>& here, std::vector<BlockId>& refolded) {
        if (call.region.empty()) return;
        context_.traffic.begin_operand(0);
        for (Cut::Block const& block : context_.directory.cut(input_).blocks_meeting(Box::whole(from_))) {
            Extent const shared = tensor::shared_elements(from_, block.box, to_, call.region);
            if (shared == 0) continue;
            Holding const from = context_.delivery.home(input_, block.index, call.rank);
            if (from.rank == call.rank)
                here.push_back(from.block);
            else
                refolded.push_back(brought(from, shared, call));
        }
    }

    BlockId brought(Holding const& from, Extent shared, Call const& call) {
        Extent const most = std::min(shared, context_.mover.most_listed(input_, from.box));
        Holding const cut{from.rank,
                          context_.mover.add_listed_block(node_.output, call.region,
                                                          tensor::in_order(call.region.order()), from.rank, most),
                          call.region};
        context_.emit.refold(from.rank, reshape_, {from.block}, cut.block);
        return context_.delivery.transfer_listed(cut, node_.output, most, call.rank, Purpose::repart);
    }

    LoweringContext& context_;
    NodeId id_;
    graph::Node const& node_;
    ValueId input_;
    Shape const &from_, &to_;
    schedule::ReshapeId reshape_;
};

}  // namespace

void lower_listed_reshape(LoweringContext& context, NodeId id) { ListedReshapeLowering(context, id).run(); }

}  // namespace ein::scheduler
