// What one rank does: its blocks and its tasks in an order that is safe on all ranks together: running every rank's
// list in order ends. Loads come first, stores last; only spills and fetches may stand between them. Operands and
// coordinates lie in pools, so that a section of a million tasks is read in one piece. Example: section.visit(task,
// Overloaded{[](Send const& send) { ... }, [](auto const&) {}}).
#pragma once

#include <optional>
#include <vector>

#include "lib/base/table.hpp"
#include "lib/schedule/model/block.hpp"
#include "lib/schedule/model/packing.hpp"
#include "lib/schedule/model/task.hpp"

namespace ein::schedule {

struct Kernel;

/// Bytes of a block that lie together.
struct ByteRange {
    std::int64_t offset = 0, bytes = 0;
};

/// A send or a receive, as whoever moves bytes sees it.
struct Message {
    BlockId block;
    Rank peer;
    MessageTag tag;
    std::optional<BoxView> part;
    bool is_send = false;
};

/// Tasks that are run again and again. The last of them, an Iterate, reads the condition, what the next iteration
/// begins with, and all that comes from outside, which therefore stays until the last iteration has ended. Loops are
/// whole in one another or apart; an inner one comes before the outer one in Section::loops.
struct Loop {
    /// At an iteration's end `next` takes the place of `inside`, which was made before the loop and has had its last
    /// reader in the iteration. After the last iteration `next` is there for whoever reads it.
    struct Carry {
        BlockId inside, next;  // blocks that are alike
        friend bool operator==(Carry const&, Carry const&) = default;
    };
    LoopSpecId spec;
    TaskId first, last;             // its tasks, `last` the Iterate
    OptionalId<BlockId> condition;  // a block of one element: no other iteration when it is 0; none: their number says
    std::vector<Carry> carries;

    bool contains(TaskId task) const { return first <= task && task <= last; }
    bool contains(Loop const& inner) const { return first <= inner.first && inner.last < last; }
};

/// Tasks that stand in the section once and are done again, each time with the blocks that the time before made, under
/// the next names (Header::next): layers of a network that are alike. What comes behind them goes on with the last
/// ones' blocks; what none of them makes and none behind them reads is freed by the last time. They begin and end at
/// moments, and no loop is anywhere. See repeat/unrolled.hpp.
struct Repeat {
    TaskId first_load{0}, end_load{0};     // of what they read; what is repeated comes behind them
    TaskId first_task{0}, end_task{0};     // others
    BlockId first_block{0}, end_block{0};  // that these make
    BlockId first_moving{0};               // blocks before it are the same each time; the others so many further
    MomentId first_moment{0}, end_moment{0};
    std::int64_t times = 0;  // that they are done again

    std::int64_t loads() const { return end_load.value() - first_load.value(); }
    std::int64_t tasks() const { return end_task.value() - first_task.value(); }
    std::int64_t blocks() const { return end_block.value() - first_block.value(); }
    std::int64_t moments() const { return end_moment.value() - first_moment.value(); }
    bool contains(TaskId task) const {
        return (first_load <= task && task < end_load) || (first_task <= task && task < end_task);
    }
    /// Whether a block is there each time, the same one: its last reader, if that is repeated, frees it the last time.
    bool stays(BlockId block) const { return block < first_moving; }
    friend bool operator==(Repeat const&, Repeat const&) = default;
};

struct Section {
    Table<BlockId, Block> blocks;
    Table<TaskId, Task> tasks;
    std::vector<BlockId> operands;  // blocks that tasks read
    std::vector<Extent> coords;
    Table<LoopId, Loop> loops;
    Table<MomentId, TaskId> moments;  // the task before which this rank stops, of each of the header's; ascending
    std::optional<Repeat> repeat;     // of all ranks, or of none
    std::int64_t room = 0;            // bytes that may be live beside the most that is in this order (memory/room.hpp)

    /// How often a task is done, loops aside.
    std::int64_t times(TaskId task) const { return repeat && repeat->contains(task) ? 1 + repeat->times : 1; }
    /// As if those that are repeated stood there each time.
    std::int64_t tasks_in_all() const {
        return static_cast<std::int64_t>(tasks.size()) +
               (repeat ? repeat->times * (repeat->loads() + repeat->tasks()) : 0);
    }
    std::int64_t moments_in_all() const {
        return static_cast<std::int64_t>(moments.size()) + (repeat ? repeat->times * repeat->moments() : 0);
    }

    /// The blocks that a task reads, in the order of its operands.
    std::span<BlockId const> reads(Task const& task) const {
        Task::Record const& record = task.record();
        return {operands.data() + record.first_operand, static_cast<std::size_t>(record.operands)};
    }
    std::span<BlockId const> reads(TaskId task) const { return reads(tasks[task]); }
    /// The block whose memory becomes the task's result's.
    OptionalId<BlockId> taken_over(Task const& task) const {
        return task.over() ? OptionalId(reads(task)[*task.over()]) : std::nullopt;
    }
    /// A task as the struct of its kind, which it must be of. Spans point into the section.
    template <class T>
    T as(Task const& task) const {
        return unpack<T>(task, *this);
    }
    /// The box that a task is about, in whatever indices; of no axes where its kind has none.
    BoxView region_of(Task const& task) const { return box_at(task.record().coords, task.order()); }
    /// Calls the visitor with the task as the struct of its kind. A visitor that lacks a kind does not compile.
    template <class Visitor>
    decltype(auto) visit(Task const& task, Visitor&& visitor) const;

    /// A kernel call of either kind.
    std::optional<Apply> kernel_call(Task const& task) const;
    /// Of a transfer. @throws InternalError for other tasks
    Message message(Task const& task) const;

    Box box_of(Block const& block) const { return box_at(block.coords, block.order).box(); }
    BoxView view_of(Block const& block) const { return box_at(block.coords, block.order); }
    BoxView box_at(CoordsPlace first, std::int32_t order) const {
        Extent const* const begin = coords.data() + first;
        auto const count = static_cast<std::size_t>(order);
        return {{begin, count}, {begin + count, count}};
    }
    BlockCoords coords_of(Block const& block) const {
        return {view_of(block), coords.data() + block.coords + 2 * std::int64_t{block.order}};
    }
    /// A block as the struct of its format, which it must be of.
    SparseBlock sparse(Block const& block) const { return SparseBlock(coords_of(block)); }
    /// Of a dense block all; of a sparse one as many as it has room for.
    Extent elements_of(Block const& block) const;
    /// Of a sparse block that holds `bytes`: how many of them are in use.
    std::size_t bytes_listed(BlockId block, std::span<std::byte const> bytes) const;
    /// The share of a kernel call's points that it looks at: fewer than all where operands decide that are sparse.
    double listed_share(Kernel const& kernel, Apply const& call) const;
    /// About how many of the elements that its operand k lists a kernel call looks at: those in its region. None of a
    /// dense one. @param labels  of the operand's axes
    double listed_in(std::vector<int> const& labels, Apply const& call, std::size_t k) const;
    std::int64_t bytes_of(Block const& block) const;
    std::int64_t bytes_of(BlockId block) const { return bytes_of(blocks[block]); }
    /// What a transfer takes of its block, or puts into it.
    ByteRange range_of(Message const& message) const;
    std::int64_t bytes_of(Message const& message) const {
        Block const& block = blocks[message.block];
        return message.part ? message.part->elements() * static_cast<std::int64_t>(size_of(block.dtype))
                            : bytes_of(block);
    }
    /// The same of a transfer.
    std::int64_t bytes_moved(Task const& task) const {
        BlockId const block = task.is<Send>() ? as<Send>(task).block : as<Receive>(task).block;
        if (task.order() == 0) return bytes_of(block);
        return region_of(task).elements() * static_cast<std::int64_t>(size_of(blocks[block].dtype));
    }
    /// The rank makes no block of a node's and keeps none: at most it loads something for others.
    bool idle() const;

    // Pools, for packing.hpp.
    std::int32_t add_operands(std::span<BlockId const> blocks);
    CoordsPlace add_box(BoxView const& box);
    CoordsPlace add_sparse(BoxView const& box, tensor::SparseLayout const& layout, Extent most);
    /// Appends a task and counts it as a reader and a writer of its blocks.
    TaskId append(Task task);
    template <class T>
    TaskId add(T const& task, OptionalId<TaskId> after = {}) {
        Task packed = pack(task, *this);
        if (after) packed.set_after(after);
        return append(packed);
    }
};

/// A visitor made of one lambda a kind.
template <class... Part>
struct Overloaded : Part... {
    using Part::operator()...;
};
template <class... Part>
Overloaded(Part...) -> Overloaded<Part...>;

namespace detail {

template <class First, class... Rest, class Visitor>
decltype(auto) visit_kinds(KindList<First, Rest...>, Section const& section, Task const& task, Visitor& visitor) {
    if constexpr (sizeof...(Rest) == 0) {
        return visitor(section.as<First>(task));
    } else {
        if (task.is<First>()) return visitor(section.as<First>(task));
        return visit_kinds(KindList<Rest...>(), section, task, visitor);
    }
}

}  // namespace detail

template <class Visitor>
decltype(auto) Section::visit(Task const& task, Visitor&& visitor) const {
    return detail::visit_kinds(TaskKinds(), *this, task, visitor);
}

}  // namespace ein::schedule
