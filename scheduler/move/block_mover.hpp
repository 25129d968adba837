// The tasks that bring blocks of values into being on a rank: loads, copies and messages, of the value's element type,
// in as few loops as the value changes in. Where blocks should go is decided by delivery.hpp and all_gather.hpp.
// Example: mover.cut_out(X, {rank 0, block 3, rows [0, 8)}, rows [2, 4)) is a new block of two rows on rank 0, and the
// copy that fills it.
#pragma once

#include <limits>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/listed_elements.hpp"
#include "scheduler/emit/tables.hpp"
#include "scheduler/emit/task_emitter.hpp"
#include "scheduler/move/block_directory.hpp"

namespace ein::scheduler {

class BlockMover {
public:
    /// @param listed  of sparse values; nothing: what the graph knows of the whole value
    BlockMover(graph::EinGraph const& graph, BlockDirectory& directory, Tables& tables, TaskEmitter& emit,
               relation::ListedBound listed = {});

    BlockId add_block(ValueId value, Box const& box, Rank rank);
    /// A block of an input, read from where its data is.
    Holding load(ValueId leaf, Box const& box, Rank rank);
    /// The same of a sparse one, in an order of its own. @param around  the box, or a larger one that lists no more;
    /// what is loaded holds it
    Holding load_listed(ValueId leaf, Box const& box, Box const& around, tensor::SparseLayout const& layout, Rank rank);
    /// What blocks on a rank list in a region of a sparse value, as a block with an order of its own.
    Holding assemble(ValueId value, std::vector<BlockId> const& parts, Box const& region,
                     tensor::SparseLayout const& layout, Rank rank);
    /// A sparse block with room for what a box can list, or for fewer elements where there are no more.
    BlockId add_listed_block(ValueId value, Box const& box, tensor::SparseLayout const& layout, Rank rank,
                             Extent most = std::numeric_limits<Extent>::max());
    /// The most elements that a box of a sparse value lists.
    Extent most_listed(ValueId value, Box const& box) const;
    /// A block of a region that has no elements.
    Holding empty_block(ValueId value, Box const& region, Rank rank);
    /// Copies a region of a block into another one on the same rank.
    void copy(ValueId value, Holding const& from, BlockId to, Box const& region);
    /// A region of a block as a block of its own on the same rank; it is cut out once.
    BlockId cut_out(ValueId value, Holding const& from, Box const& region);
    TaskNumber message(ValueId value, MessageEnd const& sent, MessageEnd const& received);

    bool is_in_loop(ValueId value) const { return level_of(value) != 0; }
    bool is_sparse(ValueId value) const { return graph_.value(value).listing.has_value(); }
    DType dtype(ValueId value) const { return graph_.value(value).dtype; }
    std::int64_t bytes_of(Holding const& holding) const { return emit_.bytes_of(holding.rank, holding.block); }

private:
    /// How many loops around the value's iterations are. What brings it to a rank comes before the loops in which it
    /// does not change.
    int level_of(ValueId value) const { return levels_[static_cast<std::size_t>(value.value())]; }

    graph::EinGraph const& graph_;
    BlockDirectory& directory_;
    Tables& tables_;
    TaskEmitter& emit_;
    relation::ListedBound listed_;
    std::vector<int> levels_;  // by ValueId
};

}  // namespace ein::scheduler
