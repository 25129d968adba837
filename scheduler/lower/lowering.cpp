#include "scheduler/lower/lowering.hpp"

#include <set>

#include "lib/base/threads/parallel.hpp"
#include "scheduler/emit/take_over.hpp"
#include "scheduler/fusion/fuse.hpp"
#include "scheduler/lower/alike_nodes.hpp"
#include "scheduler/lower/loop_lowering.hpp"
#include "scheduler/lower/lower_node.hpp"
#include "scheduler/moments/useful_moments.hpp"

namespace ein::scheduler {
namespace {

void lower_by_kind(LoweringContext& context, LoopLowering& loops, NodeId id) {
    graph::Node const& node = context.graph.node(id);
    bool const is_listed = context.value(node.output).listing.has_value();
    if (auto const* move = std::get_if<graph::Move>(&node.op))
        return is_listed ? lower_listed_move(context, id, *move) : lower_move(context, id, *move);
    if (std::holds_alternative<graph::Reshape>(node.op))
        return is_listed ? lower_listed_reshape(context, id) : lower_reshape(context, id);
    auto const& einsum = std::get<graph::EinSum>(node.op);
    if (context.carried.by_result.contains(node.output)) return loops.lower_result(id);
    if (is_identity(context.graph, node, einsum)) return lower_identity(context, id, einsum);
    lower_einsum(context, id, einsum);
}

void lower_node(LoweringContext& context, LoopLowering& loops, AlikeNodes& alike, NodeId id,
                std::vector<ValueId> const& last_read) {
    context.traffic.begin(id);
    for (SectionBuilder& section : context.sections) section.begin_node();
    alike.lower(id, last_read, [&] { lower_by_kind(context, loops, id); });
}

/// The run may be stopped before the next node.
void mark_moment(LoweringContext& context, std::size_t nodes) {
    schedule::MomentId const moment = context.header.moments.add({static_cast<std::int32_t>(nodes)});
    for (SectionBuilder& section : context.sections) section.mark(moment);
}

/// Values that are asked for when their last reader is lowered: outputs, and what loops end with, by ValueId.
std::vector<bool> kept_to_the_end(graph::EinGraph const& graph) {
    std::vector<bool> out(graph.values.size(), false);
    auto const keep = [&](ValueId value) { out[static_cast<std::size_t>(value.value())] = true; };
    for (ValueId output : graph.outputs) keep(output);
    for (graph::Loop const& loop : graph.loops) {
        if (loop.condition) keep(*loop.condition);
        for (graph::Loop::Carry const& carry : loop.carries) keep(carry.inside), keep(carry.result);
    }
    return out;
}

std::set<ValueId> inputs_of(graph::EinGraph const& graph, NodeId id) {
    std::vector<ValueId> const& inputs = graph.node(id).inputs;
    return {inputs.begin(), inputs.end()};
}

void lower_nodes(LoweringContext& context, LeaveOut const& leave_out) {
    LoopLowering loops(context);
    AlikeNodes alike(context);
    std::size_t done = 0;
    std::vector<std::size_t> unread;  // readers that are not lowered yet, by ValueId
    for (auto const& readers : context.graph.consumers()) unread.push_back(readers.size());
    std::vector<bool> const kept = kept_to_the_end(context.graph);
    std::vector<NodeId> const order = node_order(context.graph, context.options.order);
    if (context.options.order != Order::as_given) context.header.node_order = order;
    std::optional<LeftOut> left_out;
    for (NodeId id : order) {
        if (left_out && left_out->has(at(id))) {
            alike.pass_over(id);
            for (ValueId input : inputs_of(context.graph, id))
                if (--unread[at(input)] == 0 && context.directory.has_blocks(input)) context.directory.forget(input);
            continue;
        }
        loops.go_to(context.graph.node(id).loop);
        mark_moment(context, done++);
        std::vector<ValueId> last_read;
        for (ValueId input : inputs_of(context.graph, id))
            if (--unread[at(input)] == 0) last_read.push_back(input);
        lower_node(context, loops, alike, id, last_read);
        for (ValueId input : last_read)
            kept[at(input)] ? context.directory.forget_copies(input) : context.directory.forget(input);
        if (!leave_out || left_out || !(left_out = leave_out(id, alike.like(id)))) continue;
        alike.settle_on(id, left_out->round);
        for (auto const& [value, instead] : left_out->stand_ins) context.directory.take_place(instead, value);
    }
    loops.go_to(-1);
    for (schedule::MomentSpec& moment : context.header.moments)
        moment.loop = loops.spec_of(context.graph.node(order[at(moment.nodes)]).loop);
}

void store_outputs(LoweringContext& context) {
    auto const ranks = static_cast<std::size_t>(context.plan.ranks);
    for (std::size_t number = 0; number < context.graph.outputs.size(); ++number) {
        ValueId const output = context.graph.outputs[number];
        std::size_t const blocks = context.directory.cut(output).blocks();
        for (std::size_t index = 0; index < blocks; ++index) {
            Rank const asking{static_cast<int>(index * ranks / blocks)};
            Holding const& from = context.delivery.home(output, index, asking);  // a leaf may not have been loaded yet
            context.emit.store(from.rank, schedule::OutputId{static_cast<std::int32_t>(number)}, from.block);
        }
    }
}

struct Finished {
    schedule::Section section;
    std::vector<schedule::MomentId> parted;
};

std::vector<Finished> finished(std::vector<SectionBuilder>& sections, LoweringOptions const& options) {
    Room const room = options.order == Order::least_memory ? Room::within_peak : Room::any;
    return for_each_in_parallel(sections.size(), [&](std::size_t rank) {
        Finished out;
        out.section = std::move(sections[rank]).finish(room, options.messages.window, &out.parted);
        return out;
    });
}

}  // namespace

void enter_values(graph::EinGraph const& graph, schedule::Header& header) {
    for (graph::Value const& v : graph.values)
        header.tensors.add({v.name, v.shape, v.dtype, v.listing ? std::optional(v.listing->fill) : std::nullopt});
    for (graph::Leaf const& leaf : graph.leaves)
        header.inputs.add({schedule::TensorId{leaf.value.value()}, leaf.source});
    for (ValueId output : graph.outputs)
        header.outputs.add({schedule::TensorId{output.value()}, graph.value(output).name});
}

Lowered lower(graph::EinGraph const& graph, relation::Plan const& plan, LoweringOptions const& options,
              schedule::Header& header, LeaveOut const& leave_out) {
    LoweringContext context(graph, plan, options, header);
    enter_values(graph, header);
    lower_nodes(context, leave_out);
    store_outputs(context);
    Lowered out;
    std::vector<schedule::MomentId> parted;
    for (Finished& one : finished(context.sections, options)) {
        parted.insert(parted.end(), one.parted.begin(), one.parted.end());
        out.sections.add(std::move(one.section));
    }
    if (options.fusion)
        for (schedule::MomentId moment : fuse(header, out.sections, *options.fusion)) parted.push_back(moment);
    keep_useful_moments(header, out.sections, parted);
    if (options.take_over)
        for_each_in_parallel(out.sections.size(), [&](std::size_t rank) {
            take_over(header, out.sections.list()[rank], *options.take_over);
            return 0;
        });
    out.ranks = context.placement.ranks();
    out.calls = context.placement.counts();
    out.traffic = context.traffic.all();
    for (std::size_t v = 0; v < graph.values.size(); ++v)
        out.layouts.push_back(context.directory.layout(ValueId{static_cast<std::int32_t>(v)}));
    return out;
}

}  // namespace ein::scheduler
