// A Move (slice, concat, pad) as block-level data movement: each output block is assembled from the pieces of input blocks that land in it.
// A piece from another rank is cut there, in the output's indices, and sent once.
#include <algorithm>

#include "scheduler/lower/lowering.hpp"

namespace ein::scheduler {

using graph::AxisMap;
using schedule::TaskKind;

namespace {

/// The indices that a box of the output reads, as the smallest box.
Box image(Box const& region, std::vector<AxisMap> const& axes) {
    Box out = region;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        Extent const first = axes[axis].start + axes[axis].step * region.begin[axis];
        Extent const last = axes[axis].start + axes[axis].step * (region.end(axis) - 1);
        out.begin[axis] = std::min(first, last);
        out.length[axis] = std::max(first, last) - out.begin[axis] + 1;
    }
    return out;
}

/// A region's maps counted from the beginning of the output, as schedules have them.
std::vector<AxisMap> from_output_begin(graph::Move::Region const& region) {
    std::vector<AxisMap> axes = region.axes;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis].start -= axes[axis].step * region.box.begin[axis];
    return axes;
}

Extent floor_div(Extent a, Extent b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
Extent ceil_div(Extent a, Extent b) { return -floor_div(-a, b); }

/// The part of `region` whose images lie in `source`.
Box preimage(Box const& source, std::vector<AxisMap> const& axes, Box const& region) {
    Box out = region;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        auto const [start, step] = axes[axis];
        Extent const low = source.begin[axis] - start, high = source.end(axis) - 1 - start;
        Extent const first = step > 0 ? ceil_div(low, step) : ceil_div(high, step);
        Extent const last = step > 0 ? floor_div(high, step) : floor_div(low, step);
        out.begin[axis] = std::max(region.begin[axis], first);
        out.length[axis] = std::max<Extent>(0, std::min(region.end(axis), last + 1) - out.begin[axis]);
    }
    return out;
}

}  // namespace

std::vector<Lowering::Call> Lowering::output_blocks(graph::Node const& node, relation::NodePlan const& plan) const {
    std::vector<Call> calls;
    for_each_index(plan.parts, [&](std::vector<Extent> const& index) {
        calls.push_back({block_box(value(node.output).shape, plan.parts, index), calls.size(), Rank{0}});
    });
    return calls;
}

std::vector<Lowering::Piece> Lowering::pieces_of(graph::Node const& node, graph::Move const& move,
                                                 std::vector<std::int32_t> const& movements, Call const& call) {
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k < move.regions.size(); ++k) {
        graph::Move::Region const& region = move.regions[k];
        Box const landing = intersection(region.box, call.region);
        if (landing.empty()) continue;
        std::vector<AxisMap> const axes = from_output_begin(region);
        Box const wanted = image(landing, axes);
        residency_.begin_operand(k);
        if (options_.inputs ==
            InputsPolicy::shared) {  // a leaf is read here; anything else comes whole or in pieces as below
            Holding const here = residency_.need(node.inputs[k], wanted, call.rank);
            pieces.push_back({here, landing, movements[k], k});
            continue;
        }
        for (BlockDirectory::Piece const& block : residency_.blocks_meeting(node.inputs[k], wanted)) {
            Box const part = preimage(block.box, axes, landing);
            if (!part.empty())
                pieces.push_back({residency_.home(node.inputs[k], block.index, call.rank), part, movements[k], k});
        }
    }
    return pieces;
}

BlockId Lowering::assemble(graph::Node const& node, Call const& call, std::vector<Piece> const& pieces,
                           std::optional<std::int32_t> fill) {
    DType const dtype = value(node.output).dtype;
    std::int32_t const identity = tables_.identity_movement(node.name, call.region.order());
    std::vector<Piece> local;
    for (Piece const& piece : pieces) {
        if (piece.from.rank == call.rank) {
            local.push_back(piece);
            continue;
        }
        SectionBuilder& there = on(piece.from.rank);
        Holding const cut{piece.from.rank, there.add_block(node.output.value(), dtype, piece.region), piece.region};
        there.add({.kind = TaskKind::copy,
                   .spec = piece.spec,
                   .inputs = {piece.from.block},
                   .output = cut.block,
                   .region = piece.region});
        residency_.begin_operand(piece.operand);
        BlockId const here = residency_.transfer(cut, node.output.value(), dtype, call.rank, Purpose::repart);
        if (piece.region == call.region) return here;  // the whole block came in one piece
        local.push_back({{call.rank, here, piece.region}, piece.region, identity, piece.operand});
    }
    BlockId const block = on(call.rank).add_block(node.output.value(), dtype, call.region);
    std::int32_t filled = -1;
    if (fill)
        filled =
            on(call.rank).add({.kind = TaskKind::fill, .spec = *fill, .inputs = {}, .output = block, .region = {}});
    for (Piece const& piece : local)
        on(call.rank).add({.kind = TaskKind::copy,
                           .spec = piece.spec,
                           .inputs = {piece.from.block},
                           .output = block,
                           .region = piece.region,
                           .after = filled});
    return block;
}

void Lowering::lower(graph::Node const& node, graph::Move const& move, relation::NodePlan const& plan) {
    std::vector<std::int32_t> movements;
    for (graph::Move::Region const& region : move.regions)
        movements.push_back(tables_.movement({node.name, from_output_begin(region)}));
    std::int32_t const fill = tables_.fill({node.name, move.fill.value_or(scalar::Scalar{})});
    std::vector<Call> calls = output_blocks(node, plan);
    std::vector<std::vector<Held>> held(calls.size());
    for (std::size_t c = 0; c < calls.size(); ++c)
        for (std::size_t k = 0; k < move.regions.size(); ++k) {
            Box const landing = intersection(move.regions[k].box, calls[c].region);
            if (landing.empty()) continue;
            auto const found = residency_.held(node.inputs[k], image(landing, from_output_begin(move.regions[k])));
            held[c].insert(held[c].end(), found.begin(), found.end());
        }
    place(calls, plan, std::move(held));
    for (Call const& call : calls) {
        std::vector<Piece> const pieces = pieces_of(node, move, movements, call);
        Extent covered = 0;
        for (Piece const& piece : pieces) covered += piece.region.elements();
        bool const whole = covered == call.region.elements() && !call.region.empty();
        BlockId const block = assemble(node, call, pieces, whole ? std::nullopt : std::optional(fill));
        residency_.put(node.output, call.group, {call.rank, block, call.region});
    }
}

}  // namespace ein::scheduler
