// How a rank gets the region of a value that a task needs: the block itself when it is there, a region cut out and
// sent, or several put together. What a rank has once got it keeps until its last reader.
// Example: value cut in rows on ranks 0 and 1; rank 0 needs columns [0:2): its part of rank 1's block comes, and both
// are put together.
// Source: repartition of [E] 4.2; each needed element moves once, straight to its consumer.
#pragma once

#include <vector>

#include "scheduler/move/block_directory.hpp"
#include "scheduler/move/block_mover.hpp"
#include "scheduler/move/exchange.hpp"
#include "scheduler/move/operand_source.hpp"
#include "scheduler/move/traffic.hpp"

namespace ein::scheduler {

/// Whether each input element is loaded by one rank and sent, or read from its file by every rank that needs it.
enum class InputsPolicy { once, shared };

class Delivery {
public:
    Delivery(BlockDirectory& directory, BlockMover& mover, TaskEmitter& emit, TrafficCounter& traffic,
             InputsPolicy inputs, Messages const& messages)
        : directory_(directory),
          mover_(mover),
          emit_(emit),
          traffic_(traffic),
          inputs_(inputs),
          exchange_(mover, messages) {}

    /// A block on `rank` that covers `region` of the value; tasks that bring it there are appended to the sections.
    Holding need(ValueId value, Box const& region, Rank rank);
    /// A block on `rank` that has the region of a sparse value, in an order of its own. Of a leaf every rank reads its
    /// own from the data; of a result, parts are cut out where they are, sent, and put together.
    Holding need_listed(ValueId value, Box const& region, tensor::SparseLayout const& layout, Rank rank) {
        return need_listed(value, region, region, layout, rank);
    }
    /// The same of a leaf that lists nothing in `around` outside the region.
    Holding need_listed(ValueId value, Box const& region, Box const& around, tensor::SparseLayout const& layout,
                        Rank rank);
    /// The blocks that need() would put together there, what each has of the region; one, of the region, where it would
    /// not.
    std::vector<OperandSource> sources(ValueId value, Box const& region, Rank rank) const;
    /// A block on `rank` that covers one of those sources, brought there but not put together with the rest of the
    /// region.
    Holding need_source(ValueId value, Box const& region, OperandSource const& source, Rank rank);
    /// Where block `index` of the value is; a leaf's block is loaded where it is first asked for.
    Holding const& home(ValueId value, std::size_t index, Rank asking);
    /// Whether every rank reads a leaf's data for itself.
    bool is_read_by_all(ValueId value) const {
        return (inputs_ == InputsPolicy::shared || mover_.is_sparse(value)) && directory_.input_of(value).has_value();
    }
    /// Whether readers of a leaf may share the loading of it: none of its blocks is loaded yet, and each is to be
    /// loaded once.
    bool is_fresh_leaf(ValueId value) const {
        return !is_read_by_all(value) && directory_.input_of(value).has_value() && !directory_.has_blocks(value);
    }

    /// Calls bring(), which asks for what several ranks need at the same time: their messages are sent in rounds
    /// (messages.hpp). What need() gives meanwhile may be read by tasks that are appended afterwards.
    template <class Bring>
    void exchange(Bring&& bring) {
        exchanging_ = true;
        bring();
        exchanging_ = false;
        exchange_.emit();
    }

    /// Copies a whole block to another rank, counted as traffic of the node that is being lowered. @return the block
    /// there
    BlockId transfer(Holding const& from, ValueId value, DType dtype, Rank to, Purpose purpose);
    /// The same for a part of it that lies in one run, and for a block of packed elements.
    BlockId transfer_part(Holding const& from, Box const& part, ValueId value, DType dtype, Rank to, Purpose purpose);
    /// The same of a sparse block in C order. @param most  that there is room for
    BlockId transfer_listed(Holding const& from, ValueId value, Extent most, Rank to, Purpose purpose);
    BlockId transfer_packed(Holding const& from, ValueId value, DType dtype, Rank to, Purpose purpose);

private:
    std::optional<Holding> at_hand(ValueId value, Cut::Block const& block, Box const& region, Rank rank);
    Holding listed_parts(ValueId value, Box const& region, tensor::SparseLayout const& layout, Rank rank);
    Holding listed_part(ValueId value, Holding const& home, Box const& part, Rank rank, Purpose purpose);
    Holding from_one_block(ValueId value, Cut::Block const& block, Box const& region, Rank rank, Purpose purpose);
    Holding assembled(ValueId value, std::vector<Cut::Block> const& blocks, Box const& region, Rank rank,
                      Purpose purpose);
    void bring(ValueId value, Box const& region, Holding const& from, Holding const& to, Purpose purpose);

    BlockDirectory& directory_;
    BlockMover& mover_;
    TaskEmitter& emit_;
    TrafficCounter& traffic_;
    InputsPolicy inputs_;
    Exchange exchange_;
    bool exchanging_ = false;
};

}  // namespace ein::scheduler
