// The memory promise: blocks never take more than the predicted peak, whatever order tasks run in. The replayed
// profile says what is live at each task in schedule order; a task may start before its turn only where its block fits
// on top of that all the way from the first task that has not ended (the head) to its turn, with all that was made
// early before. What is gone before its last reader's turn no longer counts. Why it is safe: in the worst case all
// tasks from the head on now run in order, on top of the blocks that were made early and are not due yet. Example:
// profile {8, 16, 8, 12}, limit 16, head 0: a block of 4 bytes due at task 3 must wait, since 16 + 4 > 16 at task 1;
// once the head is 2 it may be made: 8 + 4 <= 16.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/ids.hpp"

namespace ein::schedule {

class Admission {
public:
    /// @param live  bytes while task k runs  @param limit  the most that may be live  @param total  bytes of all blocks
    /// together
    Admission(std::vector<std::int64_t> const& live, std::int64_t limit, std::int64_t total);

    /// Whether a block of `bytes` that is due at task `due` may be made now. @param from  the first task that may still
    /// run before it
    bool admits(TaskId due, std::int64_t bytes, TaskId from) const;
    bool admits(TaskId due, std::int64_t bytes) const { return admits(due, bytes, head_); }
    /// A block was made; `due` is its first writer in schedule order. True when that is before its turn.
    bool made(TaskId due, std::int64_t bytes);
    /// A block is gone, though not all tasks up to its last reader have ended.
    void gone(TaskId last_reader, std::int64_t bytes) { add(TaskId{last_reader.value() + 1}, -bytes); }
    /// By now they have.
    void passed(TaskId last_reader, std::int64_t bytes) { add(TaskId{last_reader.value() + 1}, bytes); }
    /// The iteration of a block that was made early has come.
    void came_due(TaskId due, std::int64_t bytes) { add(due, -bytes); }
    void move_head(TaskId head) { head_ = head; }
    TaskId head() const { return head_; }

private:
    void add(TaskId due, std::int64_t bytes);  // to all tasks before `due`
    std::int64_t highest(std::size_t first, std::size_t last) const;

    std::int64_t limit_;
    bool always_fits_;
    std::size_t leaves_ = 1;
    /// What may be live at each task: the profile, and blocks made early that are due later. Node i holds the larger of
    /// nodes 2i and 2i + 1, and what was added to all of its tasks.
    std::vector<std::int64_t> tree_, added_;
    TaskId head_{0};
};

}  // namespace ein::schedule
