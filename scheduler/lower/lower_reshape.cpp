// A Reshape as block-level data movement: the elements that an input block and an output block share go from one to the
// other, packed when they travel. No rank holds more than its own blocks and what comes for them.
#include "lib/tensor/reshape_runs.hpp"
#include "scheduler/lower/lower_node.hpp"

namespace ein::scheduler {
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

class ReshapeLowering {
public:
    ReshapeLowering(LoweringContext& context, NodeId id)
        : context_(context),
          id_(id),
          node_(context.graph.node(id)),
          input_(node_.inputs[0]),
          from_(context.value(input_).shape),
          to_(context.value(node_.output).shape),
          dtype_(context.value(node_.output).dtype),
          reshape_(context.tables.reshape({node_.name, from_, to_})),
          blocks_(context.directory.cut(input_).blocks_meeting(Box::whole(from_))) {}

    void run() {
        std::vector<Call> calls = calls_of_blocks(to_, context_.plan.node(id_).parts);
        std::vector<std::vector<Held>> held;
        for (Call const& call : calls) held.push_back(held_for(call));
        context_.placement.place(id_, calls, std::move(held));
        for (Call const& call : calls) assemble(call);
    }

private:
    /// What an output block gets from one input block.
    struct Arrival {
        BlockId block;  // on the output block's rank
        Box packed_from;
        bool packed = false;
    };

    /// The same C-order share of input and output lies where it is, by and large.
    std::vector<Held> held_for(Call const& call) const {
        std::vector<Held> held;
        if (call.region.empty()) return held;
        Span const span(to_, call.region);
        for (Cut::Block const& block : blocks_)
            if (Span(from_, block.box).meets(span)) {
                Extent const shared = tensor::shared_elements(from_, block.box, to_, call.region);
                for (Held const& has : context_.directory.held(input_, block.box))
                    held.push_back({has.rank, static_cast<double>(shared)});
            }
        return held;
    }

    void assemble(Call const& call) {
        std::vector<Arrival> arrivals;
        for (Cut::Block const& block : blocks_) {
            if (call.region.empty() || !Span(from_, block.box).meets(Span(to_, call.region))) continue;
            Extent const shared = tensor::shared_elements(from_, block.box, to_, call.region);
            if (shared > 0) arrivals.push_back(brought(block, shared, call));
        }
        BlockId const block = context_.emit.add_block(call.rank, node_.output, dtype_, call.region);
        if (arrivals.empty()) context_.emit.fill(call.rank, context_.tables.fill({node_.name, {}}), block);
        for (Arrival const& arrival : arrivals)
            if (arrival.packed)
                context_.emit.unpack(call.rank, reshape_, arrival.block, block, arrival.packed_from);
            else
                context_.emit.reshape(call.rank, reshape_, arrival.block, block);
        context_.directory.put(node_.output, call.group, {call.rank, block, call.region});
    }

    /// The input block itself when it is there, else what is shared, packed.
    Arrival brought(Cut::Block const& block, Extent shared, Call const& call) {
        Holding const from = context_.delivery.home(input_, block.index, call.rank);
        if (from.rank == call.rank) return {from.block, {}, false};
        BlockId const packed = context_.emit.add_packed_block(from.rank, node_.output, dtype_, shared);
        context_.emit.pack(from.rank, reshape_, from.block, packed, call.region);
        Holding const sent{from.rank, packed, Box::whole({shared})};
        return {context_.delivery.transfer_packed(sent, node_.output, dtype_, call.rank, Purpose::repart), block.box,
                true};
    }

    LoweringContext& context_;
    NodeId id_;
    graph::Node const& node_;
    ValueId input_;
    Shape const &from_, &to_;
    DType dtype_;
    schedule::ReshapeId reshape_;
    std::vector<Cut::Block> blocks_;  // of the input
};

}  // namespace

void lower_reshape(LoweringContext& context, NodeId id) { ReshapeLowering(context, id).run(); }

}  // namespace ein::scheduler
