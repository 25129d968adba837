// Builds one rank's section: tasks are appended in schedule order, readers and writers counted as they are named.
// Loads and stores are kept apart so that a section has its loads first and its stores last.
// Example: b.add_block(X, f32, box) then b.add({.kind = TaskKind::load, .spec = 0, .output = that block}).
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/order/sends_first.hpp"

namespace ein::scheduler {

/// What a task reads: mostly one block, and there are millions of tasks.
class BlockList {
public:
    BlockList() = default;
    BlockList(std::initializer_list<BlockId> blocks) {
        if (blocks.size() == 1)
            one_ = *blocks.begin();
        else
            many_ = blocks;
    }
    BlockList(std::vector<BlockId> blocks) : many_(std::move(blocks)) {}
    std::span<BlockId const> all() const { return one_ ? std::span(&*one_, 1) : std::span(many_); }

private:
    std::optional<BlockId> one_;
    std::vector<BlockId> many_;
};

/// A task before it has its place in the pools.
struct TaskDraft {
    schedule::TaskKind kind = schedule::TaskKind::load;
    std::int32_t spec = -1;
    BlockList inputs;
    std::optional<BlockId> output;
    Box region;
    bool accumulate = false;
    std::int32_t after = -1;  // a body task, as add() returned it
    int peer = -1;
    int tag = -1;
    bool may_wait = false;  // until its output is read (lazy_order.hpp)
    int level = innermost;  // how many loops it is in; fewer than are open: it comes before the next one of them
    static constexpr int innermost = -1;
};

class SectionBuilder {
public:
    BlockId add_block(std::int32_t tensor, DType dtype, Box const& box, bool packed = false);
    /// @return the task's number among the body's tasks (for `after`); loads and stores have none of use
    std::int32_t add(TaskDraft const& draft);

    /// What is added from now on belongs to another node.
    void begin_node();
    /// What is added from now on is run again in each turn.
    void begin_loop() { levels_.emplace_back(); }
    bool loop_is_empty() const { return levels_.back().tasks.empty(); }
    /// Whether a task of the innermost loop writes the block.
    bool is_made_in_loop(BlockId block) const {
        return levels_.size() > 1 && makers_[static_cast<std::size_t>(block.value())] == levels_.size() - 1;
    }
    /// The block is what the next turn begins with. @return false when it is so already, for another value
    bool take_as_next(BlockId block) { return levels_.back().next.insert(block).second; }
    /// Ends the innermost loop. @param loop  its spec, carries and condition
    void end_loop(schedule::Loop loop);

    std::int64_t bytes_of(BlockId block) const;
    /// What may wait comes when it is wanted (lazy_order); within each node, what other ranks wait for comes first
    /// (sends_first).
    schedule::Section finish(Room room = Room::any, std::int64_t window = cut_window) &&;

private:
    std::int64_t pool(Box const& box);
    std::size_t level_of(TaskDraft const& draft) const;

    /// Where boxes are in the pool, by hash, the last of each hash: most boxes are there already, alike layers being
    /// cut alike.
    std::vector<std::int64_t> pooled_;
    /// The tasks of the body, or of a loop that is open.
    struct Level {
        std::vector<schedule::Task> tasks;
        std::vector<std::int32_t> node_begins;  // among them
        std::vector<std::int32_t> may_wait;     // among them, ascending
        std::vector<schedule::Loop> loops;      // that have ended
        std::set<BlockId> next;                 // what its next turn begins with
    };
    std::vector<std::int32_t> read_from_outside(Level const& body, std::vector<std::int32_t> const& carried) const;

    schedule::Section section_;  // no tasks until finish()
    std::vector<schedule::Task> loads_, stores_;
    std::vector<Level> levels_{1};
    std::vector<std::size_t> makers_;  // by block: in how many loops the task was that wrote it first
};

}  // namespace ein::scheduler
