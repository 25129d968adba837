#include "lib/schedule/repeat/unrolled.hpp"

#include <limits>
#include <unordered_map>

#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/model/entry.hpp"

namespace ein::schedule {
namespace {

/// Whatever the numbers are: who verifies the result finds what is wrong with those that no block or task has.
template <class IdType>
IdType moved(IdType id, std::int64_t by) {
    return IdType{static_cast<std::int32_t>(id.value() + by)};
}

class Unrolling {
public:
    Unrolling(Header const& header, Section const& from)
        : from_(from), repeat_(*from.repeat), next_(header.next), times_(repeat_.times) {
        for (TaskId t = repeat_.first_task; t < repeat_.end_task; t = following(t)) ++messages(from.tasks[t].record());
    }

    Section run() && {
        out_.coords = from_.coords;
        out_.room = from_.room;
        out_.blocks.reserve(from_.blocks.size() + static_cast<std::size_t>(times_ * repeat_.blocks()));
        out_.tasks.reserve(static_cast<std::size_t>(from_.tasks_in_all()));
        add_blocks();
        keep(TaskId{0}, repeat_.end_load);
        for (std::int64_t round = 1; round <= times_; ++round) repeat_last(repeat_.loads());
        keep(repeat_.end_load, repeat_.end_task);
        for (std::int64_t round = 1; round <= times_; ++round) repeat_last(repeat_.tasks());
        keep(repeat_.end_task, from_.tasks.end_id());
        add_moments();
        return std::move(out_);
    }

private:
    void add_blocks() {
        auto const add = [&](Block block) {
            block.readers = block.writers = 0;
            out_.blocks.add(block);
        };
        for (BlockId b{0}; b < repeat_.end_block; b = following(b)) add(from_.blocks[b]);
        for (std::int64_t made = 0; made < times_ * repeat_.blocks(); ++made) {
            Block block = out_.blocks[moved(out_.blocks.end_id(), -repeat_.blocks())];
            block.tensor = next_.next(block.tensor);
            add(block);
        }
        for (BlockId b = repeat_.end_block; b < from_.blocks.end_id(); b = following(b)) add(from_.blocks[b]);
    }

    /// Appends these tasks, each with what its numbers are now.
    void keep(TaskId first, TaskId end) {
        for (TaskId t = first; t < end; t = following(t)) {
            Task::Record record = from_.tasks[t].record();
            bool const is_behind = t >= repeat_.end_task;
            auto const number = [&](BlockId block) {
                return block < (is_behind ? repeat_.first_block : repeat_.end_block)
                           ? block
                           : moved(block, times_ * repeat_.blocks());
            };
            add(record, from_.reads(t), number);
            Task& task = out_.tasks.back();
            if (record.after) task.set_after(number_of(*record.after, is_behind));
            if (is_behind && record.peer >= 0) task.set_tag(moved(MessageTag{record.tag}, times_ * messages(record)));
        }
    }

    /// Appends the last `count` tasks once more, as the next round has them.
    void repeat_last(std::int64_t count) {
        TaskId const first = moved(out_.tasks.end_id(), -count);
        for (std::int64_t k = 0; k < count; ++k) {
            TaskId const before = moved(first, k);
            Task::Record record = out_.tasks[before].record();
            std::vector<BlockId> const reads(out_.reads(before).begin(), out_.reads(before).end());
            visit_entry(out_.tasks[before], [&](auto id) { record.entry = next_.next(id).value(); });
            add(record, reads,
                [&](BlockId block) { return block < repeat_.first_moving ? block : moved(block, repeat_.blocks()); });
            Task& task = out_.tasks.back();
            if (record.after) task.set_after(moved(*record.after, count));
            if (record.peer >= 0) task.set_tag(moved(MessageTag{record.tag}, messages(record)));
        }
    }

    template <class Number>
    void add(Task::Record record, std::span<BlockId const> reads, Number const& number) {
        record.first_operand = static_cast<std::int32_t>(out_.operands.size());
        for (BlockId block : reads) {
            out_.operands.push_back(number(block));
            if (out_.blocks.has(out_.operands.back())) ++out_.blocks[out_.operands.back()].readers;
        }
        if (record.result) record.result = number(*record.result);
        if (record.result && out_.blocks.has(*record.result)) ++out_.blocks[*record.result].writers;
        out_.tasks.add(Task(record));
    }

    /// What a task is now; one of those that are repeated, for tasks behind them: its last round.
    TaskId number_of(TaskId task, bool for_those_behind) const {
        if (task < repeat_.end_load) return task;
        bool const is_last = task >= (for_those_behind ? repeat_.first_task : repeat_.end_task);
        return moved(task, times_ * (repeat_.loads() + (is_last ? repeat_.tasks() : 0)));
    }

    void add_moments() {
        auto const add = [&](MomentId moment, std::int64_t round) {
            out_.moments.add(moved(from_.moments[moment], times_ * repeat_.loads() + round * repeat_.tasks()));
        };
        for (MomentId m{0}; m < repeat_.end_moment; m = following(m)) add(m, 0);
        for (std::int64_t round = 1; round <= times_; ++round)
            for (MomentId m = repeat_.first_moment; m < repeat_.end_moment; m = following(m)) add(m, round);
        for (MomentId m = repeat_.end_moment; m < from_.moments.end_id(); m = following(m)) add(m, times_);
    }

    /// How many messages a round has with the peer, in that direction.
    std::int32_t& messages(Task::Record const& record) {
        return messages_[std::uint64_t{index(record.kind)} << 32 | static_cast<std::uint32_t>(record.peer)];
    }

    Section const& from_;
    Repeat const& repeat_;
    Succession const& next_;
    std::int64_t times_;
    std::unordered_map<std::uint64_t, std::int32_t> messages_;
    Section out_;
};

}  // namespace

std::vector<std::string> faults_of_repeat(Section const& section, Rank rank) {
    if (!section.repeat) return {};
    Repeat const& repeat = *section.repeat;
    auto const in_order = [](auto first, auto end, auto all) {
        return first.value() >= 0 && first <= end && end <= all;
    };
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    auto const fits = [&](std::size_t there, std::int64_t each) {
        return each <= (most - static_cast<std::int64_t>(there)) / repeat.times;
    };
    bool const sound = in_order(repeat.first_load, repeat.end_load, repeat.first_task) &&
                       in_order(repeat.first_task, repeat.end_task, section.tasks.end_id()) &&
                       in_order(repeat.first_block, repeat.end_block, section.blocks.end_id()) &&
                       in_order(repeat.first_moving, repeat.first_block, section.blocks.end_id()) &&
                       in_order(repeat.first_moment, repeat.end_moment, section.moments.end_id()) &&
                       repeat.moments() > 0 && section.loops.empty() && repeat.times >= 1 && repeat.times <= most &&
                       fits(section.tasks.size(), repeat.loads() + repeat.tasks()) &&
                       fits(section.blocks.size(), repeat.blocks()) &&
                       fits(section.operands.size(), static_cast<std::int64_t>(section.operands.size()));
    if (sound) return {};
    return {"rank " + std::to_string(rank.value()) + ": expected repeated tasks and blocks that exist, in order"};
}

Section unrolled(Header const& header, Section section) {
    return section.repeat ? Unrolling(header, section).run() : section;
}

Schedule unrolled(Schedule schedule) {
    for_each_in_parallel(schedule.sections.size(), [&](std::size_t rank) {
        Section& section = schedule.sections.list()[rank];
        section = unrolled(schedule.header, std::move(section));
        return 0;
    });
    return schedule;
}

}  // namespace ein::schedule
