#include "scheduler/emit/section_builder.hpp"

#include <algorithm>
#include <set>

#include "lib/base/error.hpp"
#include "scheduler/order/lazy_order.hpp"

namespace ein::scheduler {

using schedule::Task;
using schedule::TaskKind;

namespace {

std::size_t hash_of(Box const& box) {
    std::uint64_t hash = box.order();
    for (auto const* list : {&box.begin, &box.length})
        for (Extent number : *list)
            hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15ULL, hash ^= hash >> 29;
    return hash;
}

}  // namespace

std::int64_t SectionBuilder::pool(Box const& box) {
    constexpr std::size_t remembered = 512;
    if (box.order() == 0) return 0;
    pooled_.resize(remembered, -1);
    std::int64_t& known = pooled_[hash_of(box) % remembered];
    auto const is_at = [&](std::int64_t at) {
        auto const here = section_.coords.begin() + at;
        auto const order = static_cast<std::ptrdiff_t>(box.order());
        return section_.coords.end() - here >= 2 * order && std::equal(box.begin.begin(), box.begin.end(), here) &&
               std::equal(box.length.begin(), box.length.end(), here + order);
    };
    if (known >= 0 && is_at(known)) return known;
    known = static_cast<std::int64_t>(section_.coords.size());
    section_.coords.insert(section_.coords.end(), box.begin.begin(), box.begin.end());
    section_.coords.insert(section_.coords.end(), box.length.begin(), box.length.end());
    return known;
}

BlockId SectionBuilder::add_block(std::int32_t tensor, DType dtype, Box const& box, bool packed) {
    section_.blocks.push_back({tensor, dtype, packed, 0, 0, static_cast<std::int32_t>(box.order()), pool(box)});
    makers_.push_back(0);
    return BlockId{static_cast<std::int32_t>(section_.blocks.size()) - 1};
}

std::int32_t SectionBuilder::add(TaskDraft const& draft) {
    Task task;
    task.kind = draft.kind;
    task.accumulate = draft.accumulate;
    task.spec = draft.spec;
    task.first_input = static_cast<std::int32_t>(section_.inputs.size());
    task.inputs = static_cast<std::int32_t>(draft.inputs.all().size());
    for (BlockId input : draft.inputs.all()) {
        section_.inputs.push_back(input.value());
        ++section_.blocks[static_cast<std::size_t>(input.value())].readers;
    }
    if (draft.output) {
        task.output = draft.output->value();
        if (section_.blocks[static_cast<std::size_t>(task.output)].writers == 0)
            makers_[static_cast<std::size_t>(task.output)] = level_of(draft);
        ++section_.blocks[static_cast<std::size_t>(task.output)].writers;
    }
    task.after = draft.after;
    task.order = static_cast<std::int32_t>(draft.region.order());
    task.coords = pool(draft.region);
    task.peer = draft.peer;
    task.tag = draft.tag;
    auto& list = draft.kind == TaskKind::load    ? loads_
                 : draft.kind == TaskKind::store ? stores_
                                                 : levels_.at(level_of(draft)).tasks;
    if (draft.may_wait) levels_.at(level_of(draft)).may_wait.push_back(static_cast<std::int32_t>(list.size()));
    list.push_back(task);
    return static_cast<std::int32_t>(list.size()) - 1;
}

/// In how many loops the task is: inputs are loaded before all of them.
std::size_t SectionBuilder::level_of(TaskDraft const& draft) const {
    if (draft.kind == TaskKind::load) return 0;
    return draft.level == TaskDraft::innermost ? levels_.size() - 1 : static_cast<std::size_t>(draft.level);
}

void SectionBuilder::begin_node() {
    Level& level = levels_.back();
    auto const next = static_cast<std::int32_t>(level.tasks.size());
    if (level.node_begins.empty() || level.node_begins.back() < next) level.node_begins.push_back(next);
}

/// Blocks that a loop's tasks read and none of them makes, each once; but for those that are carried.
std::vector<std::int32_t> SectionBuilder::read_from_outside(Level const& body,
                                                            std::vector<std::int32_t> const& carried) const {
    std::set<std::int32_t> made(carried.begin(), carried.end()), read;
    for (Task const& task : body.tasks)
        if (task.output >= 0) made.insert(task.output);
    for (Task const& task : body.tasks)
        for (std::int32_t input : section_.inputs_of(task))
            if (!made.contains(input)) read.insert(input);
    return {read.begin(), read.end()};
}

void SectionBuilder::end_loop(schedule::Loop loop) {
    Level body = std::move(levels_.back());
    levels_.pop_back();
    if (body.tasks.empty()) return;
    std::vector<std::int32_t> inside;
    std::set<std::int32_t> read;
    for (schedule::Loop::Carry const& carry : loop.carries) inside.push_back(carry.inside), read.insert(carry.next);
    if (loop.condition >= 0) read.insert(loop.condition);
    for (std::int32_t block : read_from_outside(body, inside)) read.insert(block);

    Level& outer = levels_.back();
    auto const base = static_cast<std::int32_t>(outer.tasks.size());
    for (Task& task : body.tasks) {
        if (task.after >= 0) task.after += base;
        if (task.output >= 0) makers_[static_cast<std::size_t>(task.output)] = levels_.size() - 1;
    }
    for (schedule::Loop& inner : body.loops) inner.first += base, inner.turn += base;
    for (std::int32_t begin : body.node_begins) outer.node_begins.push_back(begin + base);
    for (std::int32_t task : body.may_wait) outer.may_wait.push_back(task + base);
    outer.tasks.insert(outer.tasks.end(), body.tasks.begin(), body.tasks.end());
    outer.loops.insert(outer.loops.end(), body.loops.begin(), body.loops.end());
    loop.first = base;
    std::vector<BlockId> blocks;
    for (std::int32_t block : read) blocks.emplace_back(block);
    loop.turn =
        add({.kind = TaskKind::turn, .spec = loop.spec, .inputs = std::move(blocks), .output = {}, .region = {}});
    outer.loops.push_back(std::move(loop));
    begin_node();
}

std::int64_t SectionBuilder::bytes_of(BlockId block) const {
    return section_.bytes_of(section_.blocks[static_cast<std::size_t>(block.value())]);
}

schedule::Section SectionBuilder::finish(Room room, std::int64_t window) && {
    promise(levels_.size() == 1, "a loop is open at the end of a section");
    auto& [tasks, node_begins, may_wait, loops, next] = levels_.front();
    auto const loads = static_cast<std::int32_t>(loads_.size());
    for (Task& task : tasks)
        if (task.after >= 0) task.after += loads;
    for (std::int32_t& begin : node_begins) begin += loads;
    for (std::int32_t& task : may_wait) task += loads;
    for (schedule::Loop& loop : loops) loop.first += loads, loop.turn += loads;
    section_.tasks = std::move(tasks);
    section_.loops = std::move(loops);
    section_.tasks.insert(section_.tasks.begin(), loads_.begin(), loads_.end());
    section_.tasks.insert(section_.tasks.end(), stores_.begin(), stores_.end());
    order_lazily(section_, may_wait, node_begins, room);
    sends_first(section_, node_begins, room, window);
    return std::move(section_);
}

}  // namespace ein::scheduler
