#include "scheduler/section_builder.hpp"

namespace ein::scheduler {

using schedule::Task;
using schedule::TaskKind;

std::int64_t SectionBuilder::pool(Box const& box) {
    auto const at = static_cast<std::int64_t>(section_.coords.size());
    section_.coords.insert(section_.coords.end(), box.begin.begin(), box.begin.end());
    section_.coords.insert(section_.coords.end(), box.length.begin(), box.length.end());
    return at;
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
    task.inputs = static_cast<std::int32_t>(draft.inputs.size());
    for (BlockId input : draft.inputs) {
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

std::int64_t SectionBuilder::bytes_of(BlockId block) const {
    return section_.bytes_of(section_.blocks[static_cast<std::size_t>(block.value())]);
}

schedule::Section SectionBuilder::finish() && {
    auto const loads = static_cast<std::int32_t>(loads_.size());
    for (Task& task : section_.tasks)
        if (task.after >= 0) task.after += loads;
    section_.tasks.insert(section_.tasks.begin(), loads_.begin(), loads_.end());
    section_.tasks.insert(section_.tasks.end(), stores_.begin(), stores_.end());
    return std::move(section_);
}

}  // namespace ein::scheduler
