// A Move (slice, concat, pad) as block-level data movement: each output block is assembled from the parts of input
// blocks that land in it. A part from another rank is cut out there, in the output's indices, and sent once.
#include <algorithm>

#include "lib/relation/listed/move_boxes.hpp"
#include "scheduler/lower/lower_node.hpp"

namespace ein::scheduler {
namespace {

using graph::AxisMap;
using relation::from_output_begin;
using relation::image;
using relation::preimage;

/// Elements of an output block that come from one block of an input.
struct LandingPart {
    Holding from;
    Box region;  // in the output's indices
    schedule::MovementId movement;
    std::size_t operand = 0;
};

class MoveLowering {
public:
    MoveLowering(LoweringContext& context, NodeId id, graph::Move const& move)
        : context_(context),
          id_(id),
          node_(context.graph.node(id)),
          move_(move),
          dtype_(context.value(node_.output).dtype) {
        for (graph::Move::Region const& region : move.regions) {
            axes_.push_back(from_output_begin(region));
            movements_.push_back(context.tables.movement({node_.name, axes_.back()}));
        }
        fill_ = context.tables.fill({node_.name, move.fill.value_or(scalar::Scalar{})});
    }

    void run() {
        std::vector<Call> calls = calls_of_blocks(context_.value(node_.output).shape, context_.plan.node(id_).parts);
        std::vector<std::vector<Held>> held;
        for (Call const& call : calls) held.push_back(held_for(call));
        context_.placement.place(id_, calls, std::move(held));
        for (Call const& call : calls) {
            BlockId const block = assemble(call, parts_of(call));
            context_.directory.put(node_.output, call.group, {call.rank, block, call.region});
        }
    }

private:
    std::vector<Held> held_for(Call const& call) const {
        std::vector<Held> held;
        for (std::size_t k = 0; k < move_.regions.size(); ++k) {
            Box const landing = intersection(move_.regions[k].box, call.region);
            if (landing.empty()) continue;
            auto const found = context_.directory.held(node_.inputs[k], image(landing, axes_[k]));
            held.insert(held.end(), found.begin(), found.end());
        }
        return held;
    }

    std::vector<LandingPart> parts_of(Call const& call) {
        std::vector<LandingPart> parts;
        for (std::size_t k = 0; k < move_.regions.size(); ++k)
            if (Box const landing = intersection(move_.regions[k].box, call.region); !landing.empty())
                append_parts(k, landing, call.rank, parts);
        return parts;
    }

    /// What lands of one input.
    void append_parts(std::size_t operand, Box const& landing, Rank rank, std::vector<LandingPart>& out) {
        ValueId const input = node_.inputs[operand];
        Box const wanted = image(landing, axes_[operand]);
        schedule::MovementId const movement = movements_[operand];
        context_.traffic.begin_operand(operand);
        if (context_.options.inputs == InputsPolicy::shared) {
            // A leaf is read here; anything else comes whole or in parts, as for any node.
            out.push_back({context_.delivery.need(input, wanted, rank), landing, movement, operand});
            return;
        }
        for (Cut::Block const& block : context_.directory.cut(input).blocks_meeting(wanted)) {
            Box const part = preimage(block.box, axes_[operand], landing);
            if (!part.empty())
                out.push_back({context_.delivery.home(input, block.index, rank), part, movement, operand});
        }
    }

    BlockId assemble(Call const& call, std::vector<LandingPart> const& parts) {
        schedule::MovementId const identity = context_.tables.identity_movement(node_.name, call.region.order());
        std::vector<LandingPart> local;
        for (LandingPart const& part : parts) {
            if (part.from.rank == call.rank) {
                local.push_back(part);
                continue;
            }
            BlockId const here = brought(part, call.rank);
            if (part.region == call.region) return here;  // the whole block came at once
            local.push_back({{call.rank, here, part.region}, part.region, identity, part.operand});
        }
        BlockId const block = context_.emit.add_block(call.rank, node_.output, dtype_, call.region);
        TaskNumber const filled = is_covered(call, parts) ? no_task : context_.emit.fill(call.rank, fill_, block);
        for (LandingPart const& part : local)
            context_.emit.copy(call.rank, {part.movement, part.from.block, block, view(part.region), filled});
        return block;
    }

    static bool is_covered(Call const& call, std::vector<LandingPart> const& parts) {
        Extent covered = 0;
        for (LandingPart const& part : parts) covered += part.region.elements();
        return covered == call.region.elements() && !call.region.empty();
    }

    /// A part from another rank, as a block of its own.
    BlockId brought(LandingPart const& part, Rank rank) {
        Rank const there = part.from.rank;
        Holding const cut{there, context_.emit.add_block(there, node_.output, dtype_, part.region), part.region};
        context_.emit.copy(there, {part.movement, part.from.block, cut.block, view(part.region)});
        context_.traffic.begin_operand(part.operand);
        return context_.delivery.transfer(cut, node_.output, dtype_, rank, Purpose::repart);
    }

    LoweringContext& context_;
    NodeId id_;
    graph::Node const& node_;
    graph::Move const& move_;
    DType dtype_;
    std::vector<std::vector<AxisMap>> axes_;       // by region, counted from the beginning of the output
    std::vector<schedule::MovementId> movements_;  // by region
    schedule::FillId fill_;
};

}  // namespace

void lower_move(LoweringContext& context, NodeId id, graph::Move const& move) { MoveLowering(context, id, move).run(); }

}  // namespace ein::scheduler
