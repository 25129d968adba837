// Loops of a graph: nodes between the beginning and the end of one are lowered as any others, into lists of their own that each turn runs again.
// What is carried has a block on the same rank for each part before, in and after a turn, so that turns hand blocks over.
// What does not change from turn to turn is brought before the loop (BlockDirectory::level_of).
#include <algorithm>
#include <set>

#include "lib/base/error.hpp"
#include "scheduler/lower/lowering.hpp"

namespace ein::scheduler {

/// Ends and begins loops, so that those that are open are those around `loop`.
void Lowering::go_to_loop(std::int32_t loop) {
    std::vector<std::int32_t> const around = graph_.loops_around(loop);
    while (!open_loops_.empty() && std::find(around.begin(), around.end(), open_loops_.back()) == around.end())
        end_loop();
    for (auto next = around.rbegin() + static_cast<std::ptrdiff_t>(open_loops_.size()); next != around.rend(); ++next)
        begin_loop(*next);
}

void Lowering::begin_loop(std::int32_t loop) {
    open_loops_.push_back(loop);
    for (SectionBuilder& section : sections_) section.begin_loop();
}

void Lowering::end_loop() {
    graph::Loop const& loop = graph_.loops[static_cast<std::size_t>(open_loops_.back())];
    auto const spec = static_cast<std::int32_t>(header_.loops.size());
    header_.loops.push_back({loop.name, loop.turns, loop.condition.has_value()});
    std::vector<schedule::Loop> ends(sections_.size());
    for (schedule::Loop& end : ends) end.spec = spec;
    for (graph::Loop::Carry const& carry : loop.carries)
        for (std::size_t index = 0; index < residency_.cut(carry.inside).blocks(); ++index) {
            Holding const& inside = residency_.home(carry.inside, index, Rank{0});
            Holding const& next = residency_.home(carry.result, index, Rank{0});
            ends[static_cast<std::size_t>(inside.rank.value())].carries.push_back(
                {inside.block.value(), next.block.value()});
        }
    if (loop.condition) {
        std::vector<bool> empty;  // before the condition is brought
        for (SectionBuilder const& section : sections_) empty.push_back(section.loop_is_empty());
        for (std::size_t rank = 0; rank < sections_.size(); ++rank)
            if (!empty[rank])
                ends[rank].condition =
                    residency_.need(*loop.condition, Box{}, Rank{static_cast<int>(rank)}).block.value();
    }
    for (std::size_t rank = 0; rank < sections_.size(); ++rank) sections_[rank].end_loop(std::move(ends[rank]));
    open_loops_.pop_back();
}

/// The value that the next turn begins with, on the ranks and in the parts that this one began with: the blocks themselves where they were made
/// so in this turn, else copies.
void Lowering::lower_result(graph::Node const& node, ValueId inside) {
    residency_.cut_like(node.output, inside);
    std::size_t const blocks = residency_.cut(inside).blocks();
    std::vector<Holding> found;
    residency_.exchange([&] {
        for (std::size_t index = 0; index < blocks; ++index) {
            Holding const& place = residency_.home(inside, index, Rank{0});
            found.push_back(residency_.need(node.inputs[0], place.box, place.rank));
        }
    });
    for (std::size_t index = 0; index < blocks; ++index) {
        Box const box = residency_.cut(inside).box(index);
        SectionBuilder& there = on(found[index].rank);
        bool const own = found[index].box == box && there.is_made_in_loop(found[index].block);
        if (!own || !there.take_as_next(found[index].block)) found[index] = copied(node, found[index], box);
        residency_.put(node.output, index, found[index]);
    }
    auto const begun = static_cast<std::size_t>(producers_[static_cast<std::size_t>(inside.value())]->value());
    ranks_[static_cast<std::size_t>(node_.value())] = ranks_[begun];
    call_counts_[static_cast<std::size_t>(node_.value())] = call_counts_[begun];
}

}  // namespace ein::scheduler
