#include "lib/schedule/memory/spill.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "lib/base/error.hpp"
#include "lib/schedule/dispatch/task_links.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/room.hpp"
#include "lib/schedule/repeat/unrolled.hpp"

namespace ein::schedule {

namespace {

/// The blocks that a task has in memory, each once.
void collect_blocks(Section const& section, Task const& task, std::vector<BlockId>& out) {
    auto const reads = section.reads(task);
    out.assign(reads.begin(), reads.end());
    if (task.result()) out.push_back(*task.result());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

/// For each block the tasks that have it in memory, in order; the first of them that is still to come is next().
class Uses {
public:
    explicit Uses(Section const& section) : first_(section.blocks.size() + 1, 0) {
        std::vector<BlockId> blocks;
        for (Task const& task : section.tasks) {
            collect_blocks(section, task, blocks);
            for (BlockId block : blocks) ++first_[following(block)];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        tasks_.resize(first_.back());
        next_ = first_;
        for (TaskId t : section.tasks.ids()) {
            collect_blocks(section, section.tasks[t], blocks);
            for (BlockId block : blocks) tasks_[next_[block]++] = t;
        }
        next_ = first_;
    }

    bool none_left(BlockId block) const { return next_[block] == first_[following(block)]; }
    TaskId next(BlockId block) const { return tasks_[next_[block]]; }
    void pass(BlockId block) { ++next_[block]; }
    /// The use after the first; task 0 where there is none.
    TaskId second(BlockId block) const {
        std::size_t const second = first_[block] + 1;
        return second < first_[following(block)] ? tasks_[second] : TaskId{0};
    }

private:
    Table<BlockId, std::size_t> first_, next_;  // in tasks_
    std::vector<TaskId> tasks_;
};

/// Replays a section and writes down the same with spills.
class Spilling {
public:
    Spilling(Section const& section, std::int64_t budget)
        : in_(section), budget_(budget), uses_(section), states_(section.blocks.size()), new_id_(section.tasks.size()) {
        out_.coords = in_.coords;
        out_.blocks = in_.blocks;
        for (BlockId b : in_.blocks.ids()) {
            out_.blocks[b].readers = out_.blocks[b].writers = 0;
            states_[b].bytes = in_.bytes_of(b);
        }
    }

    Section run() {
        auto const ids = in_.tasks.ids();
        std::vector<TaskId> order(ids.begin(), ids.end());
        TaskLinks const links(in_);
        auto const stores = order.begin() + links.stores_begin().value();
        soonest_used_last(order.begin(), order.begin() + links.loads_end().value());
        for (auto task = order.begin(); task != stores; ++task) {
            mark_moments(*task);
            take(*task);
        }
        mark_moments(stores == order.end() ? in_.tasks.end_id() : *stores);
        std::stable_partition(stores, order.end(), [&](TaskId task) { return is_store_in_memory(task); });
        for (auto task = stores; task != order.end(); ++task) take(*task);
        return std::move(out_);
    }

private:
    /// Where a block of the section is.
    struct State {
        std::int64_t bytes = 0;
        OptionalId<BlockId>
            now;  // the block of the new section that has its elements, or had them last; none: not made yet
        bool in_memory = false;
        OptionalId<TaskId> spilled;  // the spill that wrote the elements that it has now
        OptionalId<TaskId> fetched;  // the fetch that made `now`; none: a task of the section did
    };
    using Order = std::vector<TaskId>::iterator;

    /// Those that stand before this task, or before one that has been taken.
    void mark_moments(TaskId next) {
        while (out_.moments.size() < in_.moments.size() && in_.moments[out_.moments.end_id()] <= next)
            out_.moments.add(out_.tasks.end_id());
    }

    /// What is loaded last stays in memory: that should be what is used first.
    void soonest_used_last(Order begin, Order end) {
        bool const loads_only = std::all_of(begin, end, [&](TaskId t) { return in_.tasks[t].is<Load>(); });
        if (!loads_only) return;
        std::stable_sort(begin, end, [&](TaskId a, TaskId b) {
            return uses_.second(*in_.tasks[a].result()) > uses_.second(*in_.tasks[b].result());
        });
    }

    /// A store whose block needs no fetch: when these are done there is room for all others.
    bool is_store_in_memory(TaskId task) const {
        return in_.tasks[task].is<Store>() && states_[in_.as<Store>(in_.tasks[task]).block].in_memory;
    }

    void take(TaskId task) {
        collect_blocks(in_, in_.tasks[task], wanted_);
        std::int64_t missing = 0;
        for (BlockId block : wanted_) {
            may_leave_.erase({uses_.next(block), block});
            if (!states_[block].in_memory) missing += states_[block].bytes;
        }
        if (in_.taken_over(in_.tasks[task])) missing -= states_[*in_.tasks[task].result()].bytes;
        make_room(missing);
        for (BlockId block : wanted_)
            if (!states_[block].in_memory) bring(block);
        repeat(task);
        for (BlockId block : wanted_) {
            uses_.pass(block);
            if (uses_.none_left(block))
                leave(block);
            else if (states_[block].bytes > 0)
                may_leave_.insert({uses_.next(block), block});
        }
    }

    void make_room(std::int64_t bytes) {
        std::int64_t excess = live_ + bytes - budget_;
        std::vector<BlockId> leaving;
        for (auto next = may_leave_.rbegin(); excess > 0; ++next) {
            promise(next != may_leave_.rend(), "a section is spilled for a budget that is too small for it");
            leaving.push_back(next->second);
            excess -= states_[next->second].bytes;
        }
        while (!leaving.empty()) {  // the sooner used first: it may stay where the others are enough
            BlockId const block = leaving.back();
            leaving.pop_back();
            if (excess + states_[block].bytes <= 0)
                excess += states_[block].bytes;
            else
                evict(block);
        }
    }

    void evict(BlockId block) {
        State& state = states_[block];
        if (!state.spilled) state.spilled = out_.add(Spill{*state.now});
        may_leave_.erase({uses_.next(block), block});
        leave(block);
    }

    void leave(BlockId block) {
        states_[block].in_memory = false;
        live_ -= states_[block].bytes;
    }

    /// Into memory: from disk, or as a new block that the next task makes.
    void bring(BlockId block) {
        State& state = states_[block];
        state.in_memory = true;
        live_ += state.bytes;
        if (!state.now) {
            state.now = block;
            return;
        }
        Block anew = in_.blocks[block];
        anew.readers = anew.writers = 0;
        state.now = out_.blocks.add(anew);
        state.fetched = out_.add(Fetch{*state.spilled, *state.now});
    }

    /// A task of the section, with blocks and tasks as they are named now.
    void repeat(TaskId id) {
        Task task = in_.tasks[id];
        std::size_t const first = out_.operands.size();
        for (BlockId block : in_.reads(id)) out_.operands.push_back(*states_[block].now);
        task.set_operands(first, out_.operands.size() - first);
        if (task.after()) task.set_after(new_id_[*task.after()]);
        if (task.result()) {
            State& state = states_[*task.result()];
            bool const fetches = task.is<Fetch>();
            if (!fetches && state.fetched && (!task.after() || *task.after() < *state.fetched))
                task.set_after(state.fetched);
            state.spilled = fetches ? task.after() : std::nullopt;
            task.set_result(*state.now);
        }
        new_id_[id] = out_.append(task);
    }

    Section const& in_;
    std::int64_t budget_;
    Uses uses_;
    Table<BlockId, State> states_;                    // of blocks of the section
    Table<TaskId, TaskId> new_id_;                    // of tasks of the section
    std::set<std::pair<TaskId, BlockId>> may_leave_;  // next use and block, of those in memory
    std::int64_t live_ = 0;
    Section out_;
    std::vector<BlockId> wanted_;
};

}  // namespace

std::int64_t smallest_budget(Section const& section) {
    if (!section.loops.empty()) return replay(section).peak - section.room;
    std::int64_t most = 0;
    std::vector<BlockId> blocks;
    for (Task const& task : section.tasks) {
        collect_blocks(section, task, blocks);
        std::int64_t bytes = 0;
        for (BlockId block : blocks) bytes += section.bytes_of(block);
        if (section.taken_over(task)) bytes -= section.bytes_of(*task.result());
        most = std::max(most, bytes);
    }
    return most;
}

std::int64_t smallest_budget(Schedule const& schedule) {
    std::int64_t most = 0;
    for (Section const& section : schedule.sections) most = std::max(most, smallest_budget(section));
    return most;
}

Section with_spills(Section const& section, std::int64_t budget) { return Spilling(section, budget).run(); }

Schedule with_spills(Schedule schedule, std::int64_t budget) {
    schedule = unrolled(std::move(schedule));  // what spills in one round need not in the next
    for (Rank rank : schedule.sections.ids()) {
        Section& section = schedule.sections[rank];
        std::int64_t& peak = schedule.header.prediction.peak_bytes[at(rank)];
        peak = leave_room_within(section, peak, budget);
        if (peak <= budget) continue;
        section = with_spills(section, budget);
        peak = replay(section).peak;
    }
    return schedule;
}

}  // namespace ein::schedule
