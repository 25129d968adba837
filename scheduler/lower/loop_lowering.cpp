#include "scheduler/lower/loop_lowering.hpp"

#include <algorithm>

#include "scheduler/lower/lower_node.hpp"

namespace ein::scheduler {

LoopLowering::LoopLowering(LoweringContext& context) : context_(context) {
    if (!context.graph.loops.empty()) producers_ = context.graph.producers();
}

void LoopLowering::go_to(std::int32_t loop) {
    std::vector<std::int32_t> const around = context_.graph.loops_around(loop);
    while (!open_.empty() && std::find(around.begin(), around.end(), open_.back()) == around.end()) end();
    for (auto next = around.rbegin() + static_cast<std::ptrdiff_t>(open_.size()); next != around.rend(); ++next)
        begin(*next);
}

void LoopLowering::begin(std::int32_t loop) {
    open_.push_back(loop);
    for (SectionBuilder& section : context_.sections) section.begin_loop();
}

void LoopLowering::end() {
    graph::Loop const& loop = context_.graph.loops[static_cast<std::size_t>(open_.back())];
    schedule::LoopSpecId const spec =
        context_.header.loops.add({loop.name, loop.iterations, loop.condition.has_value()});
    specs_.emplace(open_.back(), spec);
    for (auto const& [ended, inner] : specs_)
        if (context_.graph.loops[static_cast<std::size_t>(ended)].outer == open_.back())
            context_.header.loops[inner].outer = spec;
    std::vector<SectionBuilder>& sections = context_.sections;
    std::vector<schedule::Loop> ends(sections.size());
    for (schedule::Loop& end : ends) end.spec = spec;
    carry(loop, ends);
    if (loop.condition) bring_condition(*loop.condition, ends);
    for (std::size_t rank = 0; rank < sections.size(); ++rank) sections[rank].end_loop(std::move(ends[rank]));
    open_.pop_back();
}

void LoopLowering::carry(graph::Loop const& loop, std::vector<schedule::Loop>& ends) {
    for (graph::Loop::Carry const& carry : loop.carries)
        for (std::size_t index = 0; index < context_.directory.cut(carry.inside).blocks(); ++index) {
            Holding const& inside = context_.delivery.home(carry.inside, index, Rank{0});
            Holding const& next = context_.delivery.home(carry.result, index, Rank{0});
            ends[at(inside.rank)].carries.push_back({inside.block, next.block});
        }
}

/// To every rank that has tasks in the loop.
void LoopLowering::bring_condition(ValueId condition, std::vector<schedule::Loop>& ends) {
    std::vector<bool> empty;  // before the condition is brought
    for (SectionBuilder const& section : context_.sections) empty.push_back(section.loop_is_empty());
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
        if (!empty[rank])
            ends[rank].condition = context_.delivery.need(condition, Box{}, Rank{static_cast<int>(rank)}).block;
}

/// The blocks themselves where they were made so in this iteration, else copies.
void LoopLowering::lower_result(NodeId id) {
    graph::Node const& node = context_.graph.node(id);
    ValueId const inside = context_.carried.by_result.at(node.output);
    context_.directory.recut(node.output, context_.directory.cut(inside));
    Cut const& cut = context_.directory.cut(inside);
    context_.placement.follow(id, *producers_[static_cast<std::size_t>(inside.value())]);
    if (context_.value(node.output).listing) return lower_listed_result(node, cut);
    std::vector<Holding> found;
    context_.delivery.exchange([&] {
        for (std::size_t index = 0; index < cut.blocks(); ++index) {
            Holding const& begun = context_.delivery.home(inside, index, Rank{0});
            found.push_back(context_.delivery.need(node.inputs[0], begun.box, begun.rank));
        }
    });
    for (std::size_t index = 0; index < cut.blocks(); ++index) {
        Box const box = cut.box(index);
        SectionBuilder& there = context_.sections[static_cast<std::size_t>(found[index].rank.value())];
        bool const own = found[index].box == box && there.is_made_in_loop(found[index].block);
        if (!own || !there.take_as_next(found[index].block))
            found[index] = copied_part(context_, node, found[index], box);
        context_.directory.put(node.output, index, found[index]);
    }
}

/// Copies: the next iteration begins with as much room as this one did.
void LoopLowering::lower_listed_result(graph::Node const& node, Cut const& cut) {
    ValueId const inside = context_.carried.by_result.at(node.output);
    for (std::size_t index = 0; index < cut.blocks(); ++index) {
        Box const box = cut.box(index);
        tensor::SparseLayout const layout = tensor::in_order(box.order());
        Rank const rank = context_.delivery.home(inside, index, Rank{0}).rank;
        Holding const from = context_.delivery.need_listed(node.inputs[0], box, layout, rank);
        BlockId const next = context_.mover.add_listed_block(node.output, box, layout, rank);
        context_.emit.relocate(rank, context_.tables.identity_movement(node.name, box.order()), {from.block}, next,
                               box);
        context_.directory.put(node.output, index, {rank, next, box});
    }
}

}  // namespace ein::scheduler
