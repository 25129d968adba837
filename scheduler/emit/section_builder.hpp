// Builds one rank's section: tasks are appended in schedule order, readers and writers counted as they are named.
// Loads and stores are kept apart so that a section has its loads first and its stores last.
// Example: BlockId x = b.add_block(X, f32, box); b.add(Load{input, x}); b.add(Send{x, rank1, MessageTag{0}, {}});
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/emit/box_pool.hpp"
#include "scheduler/emit/peer_tags.hpp"
#include "scheduler/emit/renaming.hpp"
#include "scheduler/order/sends_first.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

/// A task that comes in the innermost loop that is open; else in as many loops as the level says.
inline constexpr int innermost_loop = -1;

/// Where a task stands among others.
struct TaskPlace {
    OptionalId<TaskId> after = {};  // a task of the body, as add() returned it
    bool may_wait = false;          // until its result is read (lazy_order.hpp)
    int level = innermost_loop;  // how many loops it is in; fewer than are open: it comes before the next one of them
};

/// How far a section is: of each list, how many are in it.
struct SectionEnds {
    BlockId blocks;
    TaskId tasks;
    std::size_t loads = 0, may_wait = 0;
};

class SectionBuilder {
public:
    BlockId add_block(schedule::TensorId tensor, DType dtype, Box const& box,
                      schedule::BlockFormat format = schedule::format_of<schedule::DenseBlock>);
    BlockId add_sparse_block(schedule::TensorId tensor, DType dtype, Box const& box, tensor::SparseLayout const& layout,
                             Extent most);
    /// @param task  a struct of schedule::TaskKinds
    /// @return the task's number among the body's tasks (for `after`); loads and stores have none of use
    template <class T>
    TaskId add(T const& task, TaskPlace place = {}) {
        return append(schedule::pack(task, pool_), place);
    }

    /// What is added from now on belongs to another node.
    void begin_node();
    /// The run may be stopped here, where a node begins.
    void mark(schedule::MomentId moment);
    /// What is added from now on is run again in each iteration.
    void begin_loop() { levels_.emplace_back(); }
    bool loop_is_empty() const { return levels_.back().tasks.empty(); }
    /// Whether a task of the innermost loop writes the block.
    bool is_made_in_loop(BlockId block) const {
        auto const number = static_cast<std::size_t>(block.value());
        return levels_.size() > 1 && number < makers_.size() && makers_[number] == levels_.size() - 1;
    }
    /// The block is what the next iteration begins with. @return false when it is so already, for another value
    bool take_as_next(BlockId block) { return levels_.back().next.insert(block).second; }
    /// Ends the innermost loop. @param loop  its spec, carries and condition
    void end_loop(schedule::Loop loop);

    /// While no loop is open.
    SectionEnds ends() const;
    /// Makes the blocks and tasks from `first` to `last` once more, under other names: numbers of messages go on.
    /// @param blocks  names of blocks that were there before
    void repeat(SectionEnds const& first, SectionEnds const& last, Renaming const& names, BlockNames const& blocks,
                PeerTags& tags);

    std::int64_t bytes_of(BlockId block) const { return section_->bytes_of(block); }
    /// What may wait comes when it is wanted (lazy_order); within each node, what other ranks wait for comes first
    /// (sends_first).
    /// @param parted  if given, the marked moments that a task of a node before them has passed are added to it
    schedule::Section finish(Room room = Room::any, std::int64_t window = tuning::cut_window,
                             std::vector<schedule::MomentId>* parted = nullptr) &&;

private:
    /// The tasks of the body, or of a loop that is open.
    struct Level {
        Table<TaskId, schedule::Task> tasks;
        std::vector<TaskId> node_begins;                             // among them
        std::vector<std::pair<schedule::MomentId, TaskId>> moments;  // a node begin each
        std::vector<TaskId> may_wait;                                // among them, ascending
        std::vector<schedule::Loop> loops;                           // that have ended
        std::set<BlockId> next;                                      // what its next iteration begins with

        /// Its tasks come behind so many others.
        void shift(std::size_t by);
    };

    TaskId append(schedule::Task task, TaskPlace const& place);
    void note_maker(BlockId block, std::size_t level);
    std::size_t level_of(schedule::Task const& task, TaskPlace const& place) const;
    void add_read_from_outside(Level const& body, schedule::Loop const& loop, std::set<BlockId>& read) const;

    std::unique_ptr<schedule::Section> section_ = std::make_unique<schedule::Section>();  // no tasks until finish()
    BoxPool pool_{*section_};
    std::vector<schedule::Task> loads_, stores_;
    std::vector<Level> levels_{1};
    std::vector<std::uint32_t> makers_;  // by BlockId, in how many loops the task was that wrote it first; none beyond
};

}  // namespace ein::scheduler
