// Who waits for whom on one rank, worked out once: for each task how many things it waits for, for each block who reads it and which
// task writes it first, for each task who comes after it. Flat arrays: a million tasks cost a few of them.
// Example: load X (task 0), apply Z = X * X (task 1): waits {0, 2}; readers of X {1, 1}; first writer of Z is 1.
#pragma once

#include <span>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

class TaskLinks {
public:
    explicit TaskLinks(Section const& section);

    std::int32_t waits(TaskId task) const { return waits_[index(task)]; }
    /// Tasks that read a block, once for each time that they name it.
    std::span<TaskId const> readers(BlockId block) const {
        auto const at = static_cast<std::size_t>(block.value());
        return {readers_.data() + first_reader_[at], readers_.data() + first_reader_[at + 1]};
    }
    std::span<TaskId const> followers(TaskId task) const {
        return {followers_.data() + first_follower_[index(task)], followers_.data() + first_follower_[index(task) + 1]};
    }
    TaskId first_writer(BlockId block) const { return first_writer_[static_cast<std::size_t>(block.value())]; }

    /// Tasks [0, loads) load and make room for it, [stores, count) store and fetch for it.
    TaskId loads_end() const { return loads_end_; }
    TaskId stores_begin() const { return stores_begin_; }
    TaskId end() const { return TaskId{static_cast<std::int32_t>(waits_.size())}; }

private:
    static std::size_t index(TaskId task) { return static_cast<std::size_t>(task.value()); }
    void link_readers(Section const& section);
    void link_followers(Section const& section);

    std::vector<std::int32_t> waits_;
    std::vector<std::size_t> first_reader_, first_follower_;
    std::vector<TaskId> readers_, followers_, first_writer_;
    TaskId loads_end_, stores_begin_;
};

}  // namespace ein::schedule
