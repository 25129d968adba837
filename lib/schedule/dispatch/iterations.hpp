// The loops of one section while it runs: how many of an iteration's tasks have not ended, how many iterations there
// were, and what a new one needs. Worked out once; an iteration costs what its tasks cost. Example: a loop of tasks 2
// ... 4: ended(2) and ended(3) give nothing, then ended gives the loop, and it is the dispatcher's to end the
// iteration.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "lib/schedule/dispatch/task_links.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/schedule/tuning.hpp"

namespace ein::schedule {

/// By task: the innermost loop that it is in (an Iterate is in the loop around its own). Empty without loops.
Table<TaskId, OptionalId<LoopId>> loops_of_tasks(Section const& section);
/// Whether a task may wait for an earlier one itself: that one is in no loop that the task is not in. For those that
/// are, it waits for the loop's end. @param loops  of the section's tasks
bool meets(Section const& section, Table<TaskId, OptionalId<LoopId>> const& loops, TaskId earlier, TaskId task);

class Iterations {
public:
    struct Kept {
        BlockId block;
        std::int32_t readers;
    };
    /// Times one after another that a loop was entered for as many iterations.
    struct Taken {
        std::int64_t iterations = 0, times = 0;
    };
    struct OfLoop {
        std::vector<BlockId> made;  // blocks that the loop's tasks write
        std::vector<Kept>
            kept;  // from outside, with the times that an iteration's tasks read them, its end not counted
        std::vector<std::int32_t> waits;  // of each task [first, last], for what the loop's tasks do
        std::vector<LoopId> inner;        // loops in it
        std::int32_t unread = 0;          // blocks that its first iteration begins with and none of its tasks reads
    };

    Iterations(Section const& section, TaskLinks const& links);

    bool any() const { return !loops_.empty(); }
    void begin_round();
    /// The last task that a task may meet in one iteration: that of the innermost loop that it is in, or the section's.
    TaskId last_with(TaskId task) const {
        OptionalId<LoopId> const loop = loop_of(task);
        return loop ? section_.loops[*loop].last : TaskId{std::numeric_limits<std::int32_t>::max()};
    }
    /// Whether a task of an iteration is one of those that wait for other ranks to come as far, so that none is more
    /// than a few iterations ahead of one that it sends to.
    bool keeps_pace(TaskId task) const {
        OptionalId<LoopId> const loop = loop_of(task);
        return loop && begun_[*loop] % tuning::iterations_ahead == 0;
    }
    /// The first task that may still run before task `due`, when `head` is the first that has not ended: loops on the
    /// way may have other iterations.
    TaskId first_before(TaskId due, TaskId head) const {
        TaskId first = head;
        for (Loop const& loop : section_.loops)
            if (loop.first < first && head <= loop.last && loop.last < due) first = loop.first;
        return first;
    }
    /// @return the loop whose iteration has no other task left
    OptionalId<LoopId> ended(TaskId task);
    /// A block is written that a loop may begin with: a first iteration that does not read it ends after that all the
    /// same, or the next one's would be written over. @return the loop whose iteration waited for nothing else
    OptionalId<LoopId> wrote(BlockId block);
    /// Begins another iteration. @return false when there were as many as there may be, whatever the loop's condition
    /// says
    bool begin_next(LoopId loop, std::int64_t most);
    /// As if the loop were in its iteration of that number.
    void go_to(LoopId loop, std::int64_t iteration) { iterations_[loop] = iteration; }
    void set_begun(Table<LoopId, std::int64_t> begun) { begun_ = std::move(begun); }
    /// A loop is left; until it is entered again.
    void left(LoopId loop);
    /// The iterations of each time that a loop was entered and left, in order, over all rounds.
    Table<LoopId, std::vector<Taken>> const& taken() const { return taken_; }
    OfLoop const& of(LoopId loop) const { return loops_[loop]; }
    /// In which iteration a loop is, from 1, since it was entered.
    std::int64_t current(LoopId loop) const { return iterations_[loop]; }
    /// Iterations begun, over all times that a loop was entered in this round.
    Table<LoopId, std::int64_t> const& begun() const { return begun_; }
    /// Not 0 of loops that had as many iterations as there may be while their condition asked for another.
    Table<LoopId, std::uint8_t> const& ran_out() const { return ran_out_; }

private:
    OptionalId<LoopId> loop_of(TaskId task) const { return any() ? loop_of_[task] : OptionalId<LoopId>(); }
    void reset(LoopId loop);
    void enter(LoopId loop);

    Section const& section_;
    Table<TaskId, OptionalId<LoopId>> loop_of_;
    Table<LoopId, OfLoop> loops_;
    std::unordered_map<BlockId, LoopId> unread_in_;   // of blocks that a loop begins with and does not read
    Table<LoopId, std::int32_t> left_;                // tasks of the iteration, and blocks that it begins with
    Table<LoopId, std::int64_t> iterations_, begun_;  // since the loop was entered; in all
    Table<LoopId, std::vector<Taken>> taken_;
    Table<LoopId, std::uint8_t> ran_out_;
};

}  // namespace ein::schedule
