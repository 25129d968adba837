// A Move of sparse tensors into a sparse one. What blocks list is put where it lands on the rank that has it, sent
// once, and put together; what no region covers has the fill, as all else that is not listed.
// Example: rows 2 to 5 of A, in blocks of 4 rows on two ranks: rank 1 relocates its row 4, which rank 0 assembles with
// its own rows 2 and 3.
#include <algorithm>

#include "lib/relation/listed/move_boxes.hpp"
#include "scheduler/lower/lower_node.hpp"

namespace ein::scheduler {
namespace {

class ListedMoveLowering {
public:
    ListedMoveLowering(LoweringContext& context, NodeId id, graph::Move const& move)
        : context_(context), id_(id), node_(context.graph.node(id)), move_(move) {
        for (graph::Move::Region const& region : move.regions) {
            axes_.push_back(relation::from_output_begin(region));
            movements_.push_back(context.tables.movement({node_.name, axes_.back()}));
        }
    }

    void run() {
        std::vector<Call> calls = calls_of_blocks(context_.value(node_.output).shape, context_.plan.node(id_).parts);
        std::vector<std::vector<Held>> held;
        for (Call const& call : calls) held.push_back(held_for(call));
        context_.placement.place(id_, calls, std::move(held));
        for (Call const& call : calls)
            context_.directory.put(node_.output, call.group, {call.rank, assembled(call), call.region});
    }

private:
    /// Of one input, what a rank has of an output block.
    struct Landing {
        std::size_t operand;
        Box region;  // in the output's indices
        std::vector<BlockId> parts;
    };

    std::vector<Held> held_for(Call const& call) const {
        std::vector<Held> held;
        for (std::size_t k = 0; k < move_.regions.size(); ++k) {
            Box const landing = intersection(move_.regions[k].box, call.region);
            if (landing.empty()) continue;
            auto const found = context_.directory.held(node_.inputs[k], relation::image(landing, axes_[k]));
            held.insert(held.end(), found.begin(), found.end());
        }
        return held;
    }

    BlockId assembled(Call const& call) {
        std::vector<Landing> here;
        std::vector<Holding> landed;  // where they belong in the output
        for (std::size_t k = 0; k < move_.regions.size(); ++k)
            if (Box const landing = intersection(move_.regions[k].box, call.region); !landing.empty())
                find(k, landing, call.rank, here, landed);
        if (here.size() == 1 && landed.empty()) return relocated(here[0], call.rank, call.region).block;
        if (here.empty() && landed.size() == 1 && landed[0].box == call.region) return landed[0].block;
        for (Landing const& landing : here) landed.push_back(relocated(landing, call.rank, landing.region));
        std::vector<BlockId> parts;
        for (Holding const& each : landed) parts.push_back(each.block);
        return context_.mover
            .assemble(node_.output, parts, call.region, tensor::in_order(call.region.order()), call.rank)
            .block;
    }

    /// Blocks of an input that the rank has, or loads, and what others have of it.
    void find(std::size_t operand, Box const& landing, Rank rank, std::vector<Landing>& here,
              std::vector<Holding>& landed) {
        ValueId const input = node_.inputs[operand];
        Box const wanted = relation::image(landing, axes_[operand]);
        context_.traffic.begin_operand(operand);
        Landing local{operand, landing, {}};
        if (context_.delivery.is_read_by_all(input))
            local.parts.push_back(
                context_.delivery.need_listed(input, wanted, tensor::in_order(wanted.order()), rank).block);
        else
            for (Cut::Block const& block : context_.directory.cut(input).blocks_meeting(wanted)) {
                Box const part = relation::preimage(block.box, axes_[operand], landing);
                if (part.empty()) continue;
                Holding const from = context_.delivery.home(input, block.index, rank);
                if (from.rank == rank)
                    local.parts.push_back(from.block);
                else
                    landed.push_back(brought({operand, part, {from.block}}, from.rank, rank));
            }
        if (!local.parts.empty()) here.push_back(std::move(local));
    }

    /// A block of the output that lists what lands in a region.
    Holding relocated(Landing const& landing, Rank rank, Box const& box) {
        BlockId const block = context_.mover.add_listed_block(node_.output, box, tensor::in_order(box.order()), rank);
        context_.emit.relocate(rank, movements_[landing.operand], landing.parts, block, landing.region);
        return {rank, block, box};
    }

    Holding brought(Landing const& landing, Rank there, Rank rank) {
        Holding const cut = relocated(landing, there, landing.region);
        Extent const most = context_.mover.most_listed(node_.output, cut.box);
        return {rank, context_.delivery.transfer_listed(cut, node_.output, most, rank, Purpose::repart), cut.box};
    }

    LoweringContext& context_;
    NodeId id_;
    graph::Node const& node_;
    graph::Move const& move_;
    std::vector<std::vector<graph::AxisMap>> axes_;  // by region, counted from the beginning of the output
    std::vector<schedule::MovementId> movements_;    // by region
};

}  // namespace

void lower_listed_move(LoweringContext& context, NodeId id, graph::Move const& move) {
    ListedMoveLowering(context, id, move).run();
}

}  // namespace ein::scheduler
