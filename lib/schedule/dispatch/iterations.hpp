// The loops of one section while it runs: how many of a turn's tasks have not ended, how many turns there were, and what a new turn needs.
// Worked out once; a turn costs what its tasks cost.
// Example: a loop of tasks 2 ... 4: ended(2) and ended(3) give nothing, then ended gives the loop, and it is the dispatcher's to end the turn.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/schedule/dispatch/task_links.hpp"

namespace ein::schedule {

/// By task: the innermost loop that it is in (a turn is in the loop around its own), as an index in Section::loops, or -1.
std::vector<std::int32_t> loops_of_tasks(Section const& section);

class Iterations {
public:
    struct Kept {
        BlockId block;
        std::int32_t readers;
    };
    /// Times one after another that a loop was entered for as many turns.
    struct Taken {
        std::int64_t turns = 0, times = 0;
    };
    struct OfLoop {
        std::vector<BlockId> made;  // blocks that the loop's tasks write
        std::vector<Kept>
            kept;  // from outside, with the times that a turn's tasks read them, the turn itself not counted
        std::vector<std::int32_t> waits;  // of each task [first, turn], for what the loop's tasks do
        std::vector<std::size_t> inner;   // loops in it
        std::int32_t unread = 0;          // blocks that its first turn begins with and none of its tasks reads
    };

    Iterations(Section const& section, TaskLinks const& links);

    bool any() const { return !loops_.empty(); }
    void begin_round();
    /// The last task that a task may meet in one turn: that of the innermost loop that it is in, or the section's.
    TaskId last_with(TaskId task) const {
        std::int32_t const loop = any() ? loop_of_[static_cast<std::size_t>(task.value())] : -1;
        return TaskId{loop < 0 ? std::numeric_limits<std::int32_t>::max()
                               : section_.loops[static_cast<std::size_t>(loop)].turn};
    }
    /// Whether a task of a turn is one of those that wait for other ranks to come as far, so that none is more than a few turns ahead of one
    /// that it sends to.
    bool keeps_pace(TaskId task) const {
        static constexpr std::int64_t turns_ahead = 16;
        std::int32_t const loop = any() ? loop_of_[static_cast<std::size_t>(task.value())] : -1;
        return loop >= 0 && begun_[static_cast<std::size_t>(loop)] % turns_ahead == 0;
    }
    /// The first task that may still run before task `due`, when `head` is the first that has not ended: loops on the way may have other turns.
    TaskId first_before(TaskId due, TaskId head) const {
        TaskId first = head;
        for (Loop const& loop : section_.loops)
            if (TaskId{loop.first} < first && head <= TaskId{loop.turn} && TaskId{loop.turn} < due)
                first = TaskId{loop.first};
        return first;
    }
    /// @return the loop whose turn has no other task left, or -1
    std::int32_t ended(TaskId task);
    /// A block is written that a loop may begin with: a first turn that does not read it ends after that all the same, or the next one's would
    /// be written over. @return the loop whose turn waited for nothing else, or -1
    std::int32_t wrote(BlockId block);
    /// Begins another turn of a loop. @return false when there were as many as there may be, whatever its condition says
    bool begin_turn(std::int32_t loop, std::int64_t most);
    /// A loop is left; until it is entered again.
    void left(std::int32_t loop);
    /// The turns of each time that a loop was entered and left, in order, over all rounds; by Section::loops.
    std::vector<std::vector<Taken>> const& taken() const { return taken_; }
    OfLoop const& of(std::int32_t loop) const { return loops_[static_cast<std::size_t>(loop)]; }
    /// Iterations begun, over all times that a loop was entered in this round; by Section::loops.
    std::vector<std::int64_t> const& begun() const { return begun_; }

private:
    void reset(std::size_t loop);
    void enter(std::size_t loop);

    Section const& section_;
    std::vector<std::int32_t> loop_of_;  // by task; empty without loops
    std::vector<OfLoop> loops_;
    std::unordered_map<std::int32_t, std::int32_t>
        unread_in_;                            // of blocks that a loop begins with and does not read: the loop
    std::vector<std::int32_t> left_;           // tasks of the turn, and blocks that it begins with
    std::vector<std::int64_t> turns_, begun_;  // since the loop was entered; in all
    std::vector<std::vector<Taken>> taken_;
};

}  // namespace ein::schedule
