// A Reshape as block-level data movement: the elements that an input block and an output block share go from one to the other, packed
// when they travel. No rank holds more than its own blocks and what comes for them.
#include <numeric>

#include "lib/tensor/reshape_runs.hpp"
#include "scheduler/lower/lowering.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

namespace {

/// C-order positions that a box spans, first and last: blocks whose spans do not meet share nothing.
struct Span {
    Extent first, last;
    Span(Shape const& shape, Box const& box) : first(0), last(0) {
        auto const strides = row_major_strides(shape);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            first += strides[axis] * box.begin[axis];
            last += strides[axis] * (box.end(axis) - 1);
        }
    }
    bool meets(Span const& other) const { return first <= other.last && other.first <= last; }
};

}  // namespace

void Lowering::assemble_reshaped(graph::Node const& node, std::int32_t spec, Call const& call) {
    ValueId const input = node.inputs[0];
    Shape const &from_shape = value(input).shape, &to_shape = value(node.output).shape;
    DType const dtype = value(node.output).dtype;
    std::vector<std::pair<Holding, TaskDraft>> arrivals;  // what came, and the task that puts it in its place
    for (BlockDirectory::Piece const& block : residency_.blocks_meeting(input, Box::whole(from_shape))) {
        if (call.region.empty() || !Span(from_shape, block.box).meets(Span(to_shape, call.region))) continue;
        Extent const shared = tensor::shared_elements(from_shape, block.box, to_shape, call.region);
        if (shared == 0) continue;
        Holding const from = residency_.home(input, block.index, call.rank);
        if (from.rank == call.rank) {
            arrivals.push_back(
                {from, {.kind = TaskKind::reshape, .spec = spec, .inputs = {from.block}, .output = {}, .region = {}}});
            continue;
        }
        Box const packed = Box::whole({shared});
        BlockId const cut = on(from.rank).add_block(node.output.value(), dtype, packed, true);
        on(from.rank).add(
            {.kind = TaskKind::pack, .spec = spec, .inputs = {from.block}, .output = cut, .region = call.region});
        BlockId const here =
            residency_.transfer({from.rank, cut, packed}, node.output.value(), dtype, call.rank, Purpose::repart, true);
        arrivals.push_back(
            {from, {.kind = TaskKind::unpack, .spec = spec, .inputs = {here}, .output = {}, .region = block.box}});
    }
    BlockId const block = on(call.rank).add_block(node.output.value(), dtype, call.region);
    if (arrivals.empty()) {
        std::int32_t const fill = tables_.fill({node.name, {}});
        on(call.rank).add({.kind = TaskKind::fill, .spec = fill, .inputs = {}, .output = block, .region = {}});
    }
    for (auto& [from, draft] : arrivals) {
        draft.output = block;
        on(call.rank).add(draft);
    }
    residency_.put(node.output, call.group, {call.rank, block, call.region});
}

void Lowering::lower(graph::Node const& node, graph::Reshape const&, relation::NodePlan const& plan) {
    std::int32_t const spec = tables_.reshape({node.name, value(node.inputs[0]).shape, value(node.output).shape});
    std::vector<Call> calls = output_blocks(node, plan);
    std::vector<std::vector<Held>> held(
        calls.size());  // the same C-order share of input and output lies where it is, by and large
    for (std::size_t c = 0; c < calls.size(); ++c) {
        if (calls[c].region.empty()) continue;
        Span const span(value(node.output).shape, calls[c].region);
        for (BlockDirectory::Piece const& block :
             residency_.blocks_meeting(node.inputs[0], Box::whole(value(node.inputs[0]).shape)))
            if (Span(value(node.inputs[0]).shape, block.box).meets(span)) {
                Extent const shared = tensor::shared_elements(value(node.inputs[0]).shape, block.box,
                                                              value(node.output).shape, calls[c].region);
                for (Held const& h : residency_.held(node.inputs[0], block.box))
                    held[c].push_back({h.rank, static_cast<double>(shared)});
            }
    }
    place(calls, plan, std::move(held));
    for (Call const& call : calls) assemble_reshaped(node, spec, call);
}

}  // namespace ein::scheduler
