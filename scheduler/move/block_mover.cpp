#include "scheduler/move/block_mover.hpp"

#include <algorithm>

namespace ein::scheduler {

BlockMover::BlockMover(graph::EinGraph const& graph, BlockDirectory& directory, Tables& tables, TaskEmitter& emit,
                       relation::ListedBound listed)
    : graph_(graph),
      directory_(directory),
      tables_(tables),
      emit_(emit),
      listed_(std::move(listed)),
      levels_(graph.values.size(), 0) {
    std::vector<std::int32_t> const loops = graph.loops_of_values();
    for (std::size_t v = 0; v < loops.size(); ++v) levels_[v] = static_cast<int>(graph.loops_around(loops[v]).size());
}

BlockId BlockMover::add_block(ValueId value, Box const& box, Rank rank) {
    return emit_.add_block(rank, value, dtype(value), box);
}

Holding BlockMover::load(ValueId leaf, Box const& box, Rank rank) {
    if (graph_.value(leaf).listing) return load_listed(leaf, box, box, tensor::in_order(box.order()), rank);
    BlockId const block = add_block(leaf, box, rank);
    emit_.load(rank, directory_.input_of(leaf).value(), block);
    return {rank, block, box};
}

Holding BlockMover::load_listed(ValueId leaf, Box const& box, Box const& around, tensor::SparseLayout const& layout,
                                Rank rank) {
    BlockId const block = add_listed_block(leaf, box, layout, rank);
    emit_.load(rank, directory_.input_of(leaf).value(), block, around == box ? std::nullopt : std::optional(around));
    return {rank, block, around};
}

BlockId BlockMover::add_listed_block(ValueId value, Box const& box, tensor::SparseLayout const& layout, Rank rank,
                                     Extent most) {
    return emit_.add_sparse_block(rank, value, dtype(value), box, layout, std::min(most, most_listed(value, box)));
}

Extent BlockMover::most_listed(ValueId value, Box const& box) const {
    Extent const most = std::min(box.elements(), graph_.value(value).listing->most);
    return listed_ ? std::min(most, listed_(value, box)) : most;
}

Holding BlockMover::assemble(ValueId value, std::vector<BlockId> const& parts, Box const& region,
                             tensor::SparseLayout const& layout, Rank rank) {
    BlockId const block = add_listed_block(value, region, layout, rank);
    emit_.assemble(rank, parts, block, level_of(value));
    return {rank, block, region};
}

Holding BlockMover::empty_block(ValueId value, Box const& region, Rank rank) {
    BlockId const block = add_block(value, region, rank);
    emit_.fill(rank, tables_.fill({graph_.value(value).name, {}}), block, level_of(value));
    return {rank, block, region};
}

void BlockMover::copy(ValueId value, Holding const& from, BlockId to, Box const& region) {
    schedule::MovementId const movement = tables_.identity_movement(graph_.value(value).name, region.order());
    emit_.copy(from.rank, {movement, from.block, to, view(region), no_task, level_of(value)});
}

BlockId BlockMover::cut_out(ValueId value, Holding const& from, Box const& region) {
    if (auto const* cut = directory_.copy_of(value, region, from.rank); cut != nullptr && cut->box == region)
        return cut->block;
    BlockId const cut = add_block(value, region, from.rank);
    copy(value, from, cut, region);
    directory_.remember(value, region, {from.rank, cut, region});
    return cut;
}

TaskNumber BlockMover::message(ValueId value, MessageEnd const& sent, MessageEnd const& received) {
    return emit_.message(sent, received, level_of(value));
}

}  // namespace ein::scheduler
