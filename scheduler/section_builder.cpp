#include "scheduler/section_builder.hpp"

#include <algorithm>

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
        ++section_.blocks[static_cast<std::size_t>(task.output)].writers;
    }
    task.after = draft.after;
    task.order = static_cast<std::int32_t>(draft.region.order());
    task.coords = pool(draft.region);
    task.peer = draft.peer;
    task.tag = draft.tag;
    auto& list = draft.kind == TaskKind::load ? loads_ : draft.kind == TaskKind::store ? stores_ : section_.tasks;
    list.push_back(task);
    return static_cast<std::int32_t>(list.size()) - 1;
}

void SectionBuilder::begin_node() {
    auto const next = static_cast<std::int32_t>(section_.tasks.size());
    if (node_begins_.empty() || node_begins_.back() < next) node_begins_.push_back(next);
}

std::int64_t SectionBuilder::bytes_of(BlockId block) const {
    return section_.bytes_of(section_.blocks[static_cast<std::size_t>(block.value())]);
}

schedule::Section SectionBuilder::finish(Room room, std::int64_t window) && {
    auto const loads = static_cast<std::int32_t>(loads_.size());
    for (Task& task : section_.tasks)
        if (task.after >= 0) task.after += loads;
    for (std::int32_t& begin : node_begins_) begin += loads;
    section_.tasks.insert(section_.tasks.begin(), loads_.begin(), loads_.end());
    section_.tasks.insert(section_.tasks.end(), stores_.begin(), stores_.end());
    cuts_first(section_, node_begins_, room, window);
    return std::move(section_);
}

}  // namespace ein::scheduler
