#include "scheduler/move/delivery.hpp"

#include "lib/base/error.hpp"

namespace ein::scheduler {

Holding const& Delivery::home(ValueId value, std::size_t index, Rank asking) {
    if (!directory_.block(value, index)) {
        promise(directory_.input_of(value).has_value(), "a block is read before it is made");
        directory_.put(value, index, mover_.load(value, directory_.cut(value).box(index), asking));
    }
    return *directory_.block(value, index);
}

Holding Delivery::need(ValueId value, Box const& region, Rank rank) {
    if (auto const* copy = directory_.copy_of(value, region, rank)) return *copy;
    if (region.empty() || is_read_by_all(value)) {
        Holding made = region.empty() ? mover_.empty_block(value, region, rank) : mover_.load(value, region, rank);
        directory_.remember(value, region, made);
        return made;
    }
    Cut const& cut = directory_.cut(value);
    auto const blocks = cut.blocks_meeting(region);
    Purpose const purpose = traffic_.purpose_of(cut, region);
    Holding out = blocks.size() == 1 ? from_one_block(value, blocks.front(), region, rank, purpose)
                                     : assembled(value, blocks, region, rank, purpose);
    if (!exchanging_) exchange_.emit();
    return out;
}

Holding Delivery::need_listed(ValueId value, Box const& region, Box const& around, tensor::SparseLayout const& layout,
                              Rank rank) {
    if (auto copy = directory_.listed_copy_of(value, region, around, layout, rank)) return *copy;
    Holding made = directory_.input_of(value) ? mover_.load_listed(value, region, around, layout, rank)
                                              : listed_parts(value, region, layout, rank);
    directory_.remember_listed(value, region, layout, made);
    return made;
}

Holding Delivery::listed_parts(ValueId value, Box const& region, tensor::SparseLayout const& layout, Rank rank) {
    Cut const& cut = directory_.cut(value);
    Purpose const purpose = traffic_.purpose_of(cut, region);
    std::vector<BlockId> parts;
    for (Cut::Block const& block : cut.blocks_meeting(region)) {
        Holding part =
            listed_part(value, home(value, block.index, rank), intersection(block.box, region), rank, purpose);
        if (part.box == region && layout == tensor::in_order(region.order())) return part;
        parts.push_back(part.block);
    }
    return mover_.assemble(value, parts, region, layout, rank);
}

/// A block on the rank that has a part of one block of a sparse result, in C order, and at home maybe more.
Holding Delivery::listed_part(ValueId value, Holding const& home, Box const& part, Rank rank, Purpose purpose) {
    if (home.rank == rank) return home;
    tensor::SparseLayout const layout = tensor::in_order(part.order());
    if (auto copy = directory_.listed_copy_of(value, home.box, layout, rank)) return *copy;
    if (auto copy = directory_.listed_copy_of(value, part, layout, rank)) return *copy;
    Holding cut = home;
    if (part != home.box) {
        auto const known = directory_.listed_copy_of(value, part, layout, home.rank);
        cut = known ? *known : mover_.assemble(value, {home.block}, part, layout, home.rank);
        if (!known) directory_.remember_listed(value, part, layout, cut);
    }
    cut.box = part;
    Holding there{rank, transfer_listed(cut, value, mover_.most_listed(value, part), rank, purpose), part};
    directory_.remember_listed(value, part, layout, there);
    return there;
}

/// A block on the rank that has the region, which lies inside one block of the value.
std::optional<Holding> Delivery::at_hand(ValueId value, Cut::Block const& block, Box const& region, Rank rank) {
    Holding const& from = home(value, block.index, rank);
    if (from.rank == rank) return from;
    Holding const* copy = directory_.copy_of(value, block.box, rank);
    if (copy == nullptr && region != block.box) copy = directory_.copy_of(value, region, rank);
    return copy == nullptr ? std::nullopt : std::optional(*copy);
}

/// The region lies inside one block: that block when it is on this rank, else a copy of the block or of the region.
Holding Delivery::from_one_block(ValueId value, Cut::Block const& block, Box const& region, Rank rank,
                                 Purpose purpose) {
    if (auto found = at_hand(value, block, region, rank)) return *found;
    Holding to{rank, mover_.add_block(value, region, rank), region};
    bring(value, region, home(value, block.index, rank), to, purpose);
    directory_.remember(value, region, to);
    return to;
}

Holding Delivery::assembled(ValueId value, std::vector<Cut::Block> const& blocks, Box const& region, Rank rank,
                            Purpose purpose) {
    Holding whole{rank, mover_.add_block(value, region, rank), region};
    for (Cut::Block const& block : blocks) {
        Box const part = intersection(block.box, region);
        if (auto found = at_hand(value, block, part, rank)) {
            exchange_.add(LocalCopy{value, std::move(*found), whole.block, part});
            continue;
        }
        bring(value, part, home(value, block.index, rank), whole, purpose);
        directory_.remember(value, part, whole);
    }
    directory_.remember(value, region, whole);
    return whole;
}

void Delivery::bring(ValueId value, Box const& region, Holding const& from, Holding const& to, Purpose purpose) {
    traffic_.count(to.rank, purpose, value,
                   region.elements() * static_cast<std::int64_t>(size_of(mover_.dtype(value))));
    exchange_.add(RegionTransfer{value, from, to, region});
}

std::vector<OperandSource> Delivery::sources(ValueId value, Box const& region, Rank rank) const {
    if (is_read_by_all(value) || region.empty() || directory_.copy_of(value, region, rank)) return {{region, rank}};
    std::vector<OperandSource> out;
    for (Cut::Block const& met : directory_.cut(value).blocks_meeting(region)) {
        auto const& block = directory_.block(value, met.index);
        Box part = intersection(met.box, region);
        bool const here = !block || directory_.copy_of(value, met.box, rank) || directory_.copy_of(value, part, rank);
        out.push_back({std::move(part), here ? rank : block->rank, block ? block->rank : rank});
    }
    return out;
}

Holding Delivery::need_source(ValueId value, Box const& region, OperandSource const& source, Rank rank) {
    Cut const& cut = directory_.cut(value);
    Holding out = from_one_block(value, cut.blocks_meeting(source.box).front(), source.box, rank,
                                 traffic_.purpose_of(cut, region));
    if (!exchanging_) exchange_.emit();
    return out;
}

BlockId Delivery::transfer(Holding const& from, ValueId value, DType dtype, Rank to, Purpose purpose) {
    return transfer_part(from, from.box, value, dtype, to, purpose);
}

BlockId Delivery::transfer_part(Holding const& from, Box const& part, ValueId value, DType dtype, Rank to,
                                Purpose purpose) {
    BlockId const there = emit_.add_block(to, value, dtype, part);
    traffic_.count(to, purpose, value, emit_.bytes_of(to, there));
    mover_.message(value, {from.rank, from.block, part == from.box ? std::nullopt : std::optional(view(part))},
                   {to, there, {}});
    return there;
}

BlockId Delivery::transfer_listed(Holding const& from, ValueId value, Extent most, Rank to, Purpose purpose) {
    BlockId const there = mover_.add_listed_block(value, from.box, tensor::in_order(from.box.order()), to, most);
    traffic_.count(to, purpose, value, mover_.bytes_of({to, there, from.box}));
    mover_.message(value, {from.rank, from.block, {}}, {to, there, {}});
    return there;
}

BlockId Delivery::transfer_packed(Holding const& from, ValueId value, DType dtype, Rank to, Purpose purpose) {
    BlockId const there = emit_.add_packed_block(to, value, dtype, from.box.elements());
    traffic_.count(to, purpose, value, mover_.bytes_of(from));
    mover_.message(value, {from.rank, from.block, {}}, {to, there, {}});
    return there;
}

}  // namespace ein::scheduler
