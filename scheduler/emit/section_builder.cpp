#include "scheduler/emit/section_builder.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "scheduler/order/lazy_order.hpp"

namespace ein::scheduler {

using schedule::Task;

namespace {

TaskId shifted(TaskId task, std::size_t by) { return TaskId{task.value() + static_cast<std::int32_t>(by)}; }

}  // namespace

BlockId SectionBuilder::add_block(schedule::TensorId tensor, DType dtype, Box const& box,
                                  schedule::BlockFormat format) {
    return section_->blocks.add(
        {tensor, dtype, format, 0, 0, static_cast<std::int32_t>(box.order()), pool_.add_box(view(box))});
}

BlockId SectionBuilder::add_sparse_block(schedule::TensorId tensor, DType dtype, Box const& box,
                                         tensor::SparseLayout const& layout, Extent most) {
    return section_->blocks.add({tensor, dtype, schedule::format_of<schedule::SparseBlock>, 0, 0,
                                 static_cast<std::int32_t>(box.order()),
                                 section_->add_sparse(view(box), layout, most)});
}

TaskId SectionBuilder::append(Task task, TaskPlace const& place) {
    std::size_t const level = level_of(task, place);
    for (BlockId block : section_->reads(task)) ++section_->blocks[block].readers;
    if (auto const result = task.result()) {
        if (section_->blocks[*result].writers == 0) note_maker(*result, level);
        ++section_->blocks[*result].writers;
    }
    if (place.after) task.set_after(place.after);
    bool const stores = task.is<schedule::Store>();
    if (stores || task.is<schedule::Load>()) {
        std::vector<Task>& list = stores ? stores_ : loads_;
        list.push_back(task);
        return TaskId{static_cast<std::int32_t>(list.size()) - 1};
    }
    TaskId const id = levels_.at(level).tasks.add(task);
    if (place.may_wait) levels_.at(level).may_wait.push_back(id);
    return id;
}

/// Of blocks that are made in no loop nothing is noted: most graphs have none.
void SectionBuilder::note_maker(BlockId block, std::size_t level) {
    auto const number = static_cast<std::size_t>(block.value());
    if (number < makers_.size())
        makers_[number] = static_cast<std::uint32_t>(level);
    else if (level > 0)
        makers_.resize(number + 1, 0), makers_.back() = static_cast<std::uint32_t>(level);
}

/// In how many loops the task is: inputs are loaded before all of them.
std::size_t SectionBuilder::level_of(Task const& task, TaskPlace const& place) const {
    if (task.is<schedule::Load>()) return 0;
    return place.level == innermost_loop ? levels_.size() - 1 : static_cast<std::size_t>(place.level);
}

void SectionBuilder::begin_node() {
    Level& level = levels_.back();
    TaskId const next = level.tasks.end_id();
    if (level.node_begins.empty() || level.node_begins.back() < next) level.node_begins.push_back(next);
}

void SectionBuilder::mark(schedule::MomentId moment) {
    begin_node();
    levels_.back().moments.push_back({moment, levels_.back().tasks.end_id()});
}

/// Blocks that a loop's tasks read and none of them makes; but for those that are carried.
void SectionBuilder::add_read_from_outside(Level const& body, schedule::Loop const& loop,
                                           std::set<BlockId>& read) const {
    std::set<BlockId> made;
    for (schedule::Loop::Carry const& carry : loop.carries) made.insert(carry.inside);
    for (Task const& task : body.tasks)
        if (task.result()) made.insert(*task.result());
    for (Task const& task : body.tasks)
        for (BlockId block : section_->reads(task))
            if (!made.contains(block)) read.insert(block);
}

void SectionBuilder::Level::shift(std::size_t by) {
    for (Task& task : tasks)
        if (task.after()) task.set_after(shifted(*task.after(), by));
    for (schedule::Loop& loop : loops) loop.first = shifted(loop.first, by), loop.last = shifted(loop.last, by);
    for (TaskId& begin : node_begins) begin = shifted(begin, by);
    for (auto& [moment, task] : moments) task = shifted(task, by);
    for (TaskId& task : may_wait) task = shifted(task, by);
}

void SectionBuilder::end_loop(schedule::Loop loop) {
    Level body = std::move(levels_.back());
    levels_.pop_back();
    if (body.tasks.empty()) {
        for (auto const& [moment, task] : body.moments) mark(moment);
        return;
    }
    std::set<BlockId> read;
    for (schedule::Loop::Carry const& carry : loop.carries) read.insert(carry.next);
    if (loop.condition) read.insert(*loop.condition);
    add_read_from_outside(body, loop, read);

    Level& outer = levels_.back();
    loop.first = outer.tasks.end_id();
    body.shift(outer.tasks.size());
    auto const append_to = [](auto& list, auto const& more) { list.insert(list.end(), more.begin(), more.end()); };
    append_to(outer.tasks.list(), body.tasks);
    append_to(outer.loops, body.loops);
    append_to(outer.node_begins, body.node_begins);
    append_to(outer.moments, body.moments);
    append_to(outer.may_wait, body.may_wait);
    for (Task const& task : body.tasks)
        if (task.result()) note_maker(*task.result(), levels_.size() - 1);
    std::vector<BlockId> const kept(read.begin(), read.end());
    loop.last = add(schedule::Iterate{loop.spec, kept});
    outer.loops.push_back(std::move(loop));
    begin_node();
}

SectionEnds SectionBuilder::ends() const {
    promise(levels_.size() == 1, "a loop is open where a node is made again");
    Level const& body = levels_.front();
    return {section_->blocks.end_id(), body.tasks.end_id(), loads_.size(), body.may_wait.size()};
}

void SectionBuilder::repeat(SectionEnds const& first, SectionEnds const& last, Renaming const& names,
                            BlockNames const& blocks, PeerTags& tags) {
    SectionEnds const now = ends();
    Level& body = levels_.front();
    auto const renamed = [&](BlockId block) {
        return block < first.blocks ? blocks.of(block)
                                    : BlockId{block.value() - first.blocks.value() + now.blocks.value()};
    };
    for (BlockId id = first.blocks; id < last.blocks; id = following(id)) {
        schedule::Block block = section_->blocks[id];
        block.tensor = names.tensors.of(block.tensor);
        block.readers = block.writers = 0;
        section_->blocks.add(block);
    }
    auto const again = [&](Task const& task) {
        Task::Record record = task.record();
        record.entry = names.entry_of(task);
        record.first_operand = static_cast<std::int32_t>(section_->operands.size());
        for (std::int32_t k = 0; k < record.operands; ++k) {
            BlockId const block = renamed(section_->operands[at(task.record().first_operand + k)]);
            section_->operands.push_back(block);
            ++section_->blocks[block].readers;
        }
        if (record.result) {
            record.result = renamed(*record.result);
            ++section_->blocks[*record.result].writers;
        }
        if (record.after) record.after = TaskId{(*record.after).value() - first.tasks.value() + now.tasks.value()};
        if (task.is<schedule::Send>()) record.tag = tags.sent(Rank{record.peer})++;
        if (task.is<schedule::Receive>()) record.tag = tags.received(Rank{record.peer})++;
        return Task(record);
    };
    for (std::size_t k = first.loads; k < last.loads; ++k) loads_.push_back(again(Task(loads_[k])));
    for (TaskId id = first.tasks; id < last.tasks; id = following(id)) body.tasks.add(again(Task(body.tasks[id])));
    for (std::size_t k = first.may_wait; k < last.may_wait; ++k)
        body.may_wait.push_back(TaskId{body.may_wait[k].value() - first.tasks.value() + now.tasks.value()});
}

schedule::Section SectionBuilder::finish(Room room, std::int64_t window, std::vector<schedule::MomentId>* parted) && {
    promise(levels_.size() == 1, "a loop is open at the end of a section");
    Level& body = levels_.front();
    body.shift(loads_.size());
    schedule::Section out = std::move(*section_);
    out.loops = Table<schedule::LoopId, schedule::Loop>(std::move(body.loops));
    std::vector<Task>& tasks = out.tasks.list();
    tasks.reserve(loads_.size() + body.tasks.size() + stores_.size());
    for (auto const* part : {&loads_, &body.tasks.list(), &stores_})
        tasks.insert(tasks.end(), part->begin(), part->end());
    body.tasks = {};
    loads_ = {};
    stores_ = {};
    makers_ = {};
    std::vector<TaskId> const begins = body.node_begins;
    std::vector<bool> const passed = order_lazily(out, body.may_wait, body.node_begins, room);
    for (auto const& [moment, task] : body.moments) {
        auto const begin =
            static_cast<std::size_t>(std::lower_bound(begins.begin(), begins.end(), task) - begins.begin());
        promise(moment == out.moments.end_id() && begin < begins.size() && begins[begin] == task,
                "a moment is marked where a node begins");
        out.moments.add(body.node_begins[begin]);
        if (passed[begin] && parted != nullptr) parted->push_back(moment);
    }
    sends_first(out, body.node_begins, room, window);
    levels_ = {};
    out.blocks.list().shrink_to_fit();  // they grew by doubling
    out.operands.shrink_to_fit();
    out.coords.shrink_to_fit();
    return out;
}

}  // namespace ein::scheduler
