// Makes tasks: one function for each kind of task that lowering makes, appended to the section of the rank that runs
// it. The one place where lowering makes tasks. Decides nothing: which task, where and when is said by its
// callers (scheduler/move, scheduler/lower).
// Example: BlockId a = emit.add_block(rank0, A, f32, box); emit.load(rank0, input, a); emit.message({rank0, a, {}},
// {rank1, b, {}}, 0);
#pragma once

#include <optional>
#include <vector>

#include "lib/base/ids.hpp"
#include "scheduler/emit/peer_tags.hpp"
#include "scheduler/emit/section_builder.hpp"

namespace ein::scheduler {

/// A task among those of its rank that are neither loads nor stores, for others to come after it; or none.
using TaskNumber = OptionalId<TaskId>;
inline constexpr TaskNumber no_task = {};

/// Output[region] = input[movement of region]; region in the output's indices.
struct CopyTask {
    schedule::MovementId movement;
    BlockId from, to;
    BoxView region;
    TaskNumber after = no_task;
    int level = innermost_loop;
};

/// Output (+)= kernel over a region, an interval for each label.
struct ApplyTask {
    schedule::KernelId kernel;
    std::vector<BlockId> operands;
    BlockId output;
    Box region;
    bool accumulate = false;
    TaskNumber after = no_task;
    bool may_wait = false;  // until its output is read (lazy_order.hpp)
};

/// Output (+)= a partial result.
struct ReduceTask {
    schedule::KernelId kernel;
    BlockId partial, output;
    Box region;
    bool accumulate = false;
    TaskNumber after = no_task;
};

/// One end of a message.
struct MessageEnd {
    Rank rank;
    BlockId block;
    std::optional<BoxView> part;  // that lies in one run there; none: the whole block
};

class TaskEmitter {
public:
    explicit TaskEmitter(std::vector<SectionBuilder>& sections) : sections_(sections), tags_(sections.size()) {}

    BlockId add_block(Rank rank, ValueId tensor, DType dtype, Box const& box) {
        return on(rank).add_block(schedule::TensorId{tensor.value()}, dtype, box);
    }
    /// A block of `elements` in C order, without a box of its own.
    BlockId add_packed_block(Rank rank, ValueId tensor, DType dtype, Extent elements) {
        return on(rank).add_block(schedule::TensorId{tensor.value()}, dtype, Box::whole({elements}),
                                  schedule::format_of<schedule::PackedBlock>);
    }
    /// A block that lists its elements, with room for `most`.
    BlockId add_sparse_block(Rank rank, ValueId tensor, DType dtype, Box const& box, tensor::SparseLayout const& layout,
                             Extent most) {
        return on(rank).add_sparse_block(schedule::TensorId{tensor.value()}, dtype, box, layout, most);
    }
    std::int64_t bytes_of(Rank rank, BlockId block) const {
        return sections_[static_cast<std::size_t>(rank.value())].bytes_of(block);
    }

    /// @param around  of a sparse input: a box that it lists nothing of but what the block has
    void load(Rank rank, schedule::InputId input, BlockId block, std::optional<Box> const& around = {});
    /// A send and its receive. Messages from one rank to another are numbered in the order in which they are made.
    /// @return the receive
    TaskNumber message(MessageEnd const& sent, MessageEnd const& received, int level);
    void copy(Rank rank, CopyTask const& task);
    TaskNumber fill(Rank rank, schedule::FillId fill, BlockId block, int level = innermost_loop);
    /// Elements that two blocks of one rank share under a reshape.
    void reshape(Rank rank, schedule::ReshapeId reshape, BlockId from, BlockId to);
    /// @param unpacked_to  the box of the block that it will be unpacked into
    void pack(Rank rank, schedule::ReshapeId reshape, BlockId from, BlockId packed, Box const& unpacked_to);
    /// @param packed_from  the box of the block that it was packed from
    void unpack(Rank rank, schedule::ReshapeId reshape, BlockId packed, BlockId to, Box const& packed_from);
    /// What sparse blocks list in the box of another.
    void assemble(Rank rank, std::vector<BlockId> const& parts, BlockId to, int level);
    /// What sparse blocks list, where a movement of `region` has it. @param region  in the indices of `to`
    void relocate(Rank rank, schedule::MovementId movement, std::vector<BlockId> const& parts, BlockId to,
                  Box const& region);
    /// The same under a reshape.
    void refold(Rank rank, schedule::ReshapeId reshape, std::vector<BlockId> const& parts, BlockId to);
    TaskNumber apply(Rank rank, ApplyTask const& task);
    TaskNumber reduce(Rank rank, ReduceTask const& task);
    void store(Rank rank, schedule::OutputId output, BlockId block);

    /// How far the rank's section is. No loop is open.
    SectionEnds ends(Rank rank) const { return sections_[at(rank)].ends(); }
    /// Makes again what was made from `first` to `last`, under other names.
    void repeat(Rank rank, SectionEnds const& first, SectionEnds const& last, Renaming const& names,
                BlockNames const& blocks) {
        on(rank).repeat(first, last, names, blocks, tags_[at(rank)]);
    }

private:
    SectionBuilder& on(Rank rank) { return sections_[static_cast<std::size_t>(rank.value())]; }

    std::vector<SectionBuilder>& sections_;
    std::vector<PeerTags> tags_;  // by rank
};

}  // namespace ein::scheduler
