// Who waits for whom on one rank, worked out once: for each task how many things it waits for, for each block who reads
// it and which task writes it first, for each task who comes after it. Flat arrays: a million tasks cost a few of them.
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

    std::int32_t waits(TaskId task) const { return waits_[task]; }
    /// Tasks that read a block, once for each time that they name it.
    std::span<TaskId const> readers(BlockId block) const {
        return {readers_.data() + first_reader_[block], readers_.data() + first_reader_[following(block)]};
    }
    /// Tasks that come after a task, as they say or because they take over what it reads; once for each reason.
    std::span<TaskId const> followers(TaskId task) const {
        return {followers_.data() + first_follower_[task], followers_.data() + first_follower_[following(task)]};
    }
    TaskId first_writer(BlockId block) const { return *first_writer_[block]; }

    /// Tasks [0, loads) load and make room for it, [stores, count) store and fetch for it.
    TaskId loads_end() const { return loads_end_; }
    TaskId stores_begin() const { return stores_begin_; }
    TaskId end() const { return waits_.end_id(); }

private:
    void link_readers(Section const& section);
    void link_followers(Section const& section);
    template <class Visit>
    void for_each_order(Section const& section, Visit const& visit) const;

    Table<TaskId, std::int32_t> waits_;
    Table<BlockId, std::size_t> first_reader_;  // in readers_, and one behind the last
    Table<TaskId, std::size_t> first_follower_;
    std::vector<TaskId> readers_, followers_;
    Table<BlockId, OptionalId<TaskId>> first_writer_;
    TaskId loads_end_, stores_begin_;
};

}  // namespace ein::schedule
