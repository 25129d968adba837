// Partial results of several ranks, combined slice by slice in the order of their first calls: a reduce-scatter. Every rank sends each slice to
// its owner; many ranks with small slices do so in stages (see stages.hpp).
#include <algorithm>
#include <iterator>

#include "scheduler/lower/lowering.hpp"
#include "scheduler/move/stages.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

/// Combines pieces of one box on one rank: in the block of its own piece where that is the box, else in a new block.
class Lowering::Folding {
public:
    Folding(Lowering& lowering, graph::Node const& node, Combining const& how, Box const& box, Partial const& own)
        : lowering_(lowering), how_(how), result_{own.rank, own.block, box, own.last} {
        if (own.box == box) return;
        result_.block = lowering.on(own.rank).add_block(node.output.value(), how.accumulated, box);
        fold(own.block, false);
    }
    void add(BlockId piece) { fold(piece, true); }
    Partial const& result() const { return result_; }

private:
    void fold(BlockId from, bool accumulate) {
        result_.last = lowering_.on(result_.rank)
                           .add({.kind = TaskKind::reduce,
                                 .spec = how_.kernel,
                                 .inputs = {from},
                                 .output = result_.block,
                                 .region = result_.box,
                                 .accumulate = accumulate,
                                 .after = accumulate ? result_.last : -1});
    }

    Lowering& lowering_;
    Combining const& how_;
    Partial result_;
};

/// Makes the node's blocks inside `box` out of what the ranks of the group have of it.
void Lowering::combine(graph::Node const& node, Combining const& how, Box const& box, Group const& group,
                       std::size_t number) {
    auto slices = residency_.blocks_meeting(node.output, box);
    if (box.empty()) slices = {{number, box}};  // an empty value has one block
    bool const made_by_slice = !group.slices.empty();
    if (!made_by_slice && combine_in_stages(node, how, slices, group.partials, number)) return;
    for (std::size_t s = 0; s < slices.size(); ++s) {
        Rank const keeper = group.members[keeper_of(s, slices.size(), group.members.size(), number)];
        std::vector<Partial> of_slice;
        if (made_by_slice)
            std::copy_if(group.partials.begin(), group.partials.end(), std::back_inserter(of_slice),
                         [&](Partial const& partial) { return partial.box == slices[s].box; });
        put(node, how, slices[s], folded(node, how, slices[s].box, made_by_slice ? of_slice : group.partials, keeper));
    }
}

/// What all ranks have of a box, on the keeper: its own first, then the others' in their order.
Lowering::Partial Lowering::folded(graph::Node const& node, Combining const& how, Box const& box,
                                   std::vector<Partial> const& partials, Rank keeper) {
    auto const own = std::find_if(partials.begin(), partials.end(), [&](Partial const& p) { return p.rank == keeper; });
    Folding folding(*this, node, how, box, *own);
    for (Partial const& partial : partials)
        if (partial.rank != keeper) folding.add(sent(node, how, partial, box, keeper));
    return folding.result();
}

/// A part of a partial result on another rank.
BlockId Lowering::sent(graph::Node const& node, Combining const& how, Partial const& from, Box const& box, Rank to) {
    Holding holding{from.rank, from.block, from.box};
    if (from.box != box && is_one_run(box, from.box))
        return residency_.transfer_part(holding, box, node.output.value(), how.accumulated, to, Purpose::agg);
    if (from.box != box) {
        holding = {from.rank, on(from.rank).add_block(node.output.value(), how.accumulated, box), box};
        std::int32_t const movement = tables_.identity_movement(node.name, box.order());
        on(from.rank).add(
            {.kind = TaskKind::copy, .spec = movement, .inputs = {from.block}, .output = holding.block, .region = box});
    }
    return residency_.transfer(holding, node.output.value(), how.accumulated, to, Purpose::agg);
}

/// Ranks stand in rows of one rank a slice. Each row scatters its sums in stages; then the rows' sums of each slice are combined, four at a
/// time. @return false when that is not worth while, and nothing was done
bool Lowering::combine_in_stages(graph::Node const& node, Combining const& how,
                                 std::vector<BlockDirectory::Piece> const& slices, std::vector<Partial> const& group,
                                 std::size_t number) {
    Staging const& staging = options_.staging;
    auto const element = static_cast<std::int64_t>(size_of(how.accumulated));
    if (!staging.suits(group.size(), slices[0].box.elements() * element) || group.size() % slices.size() != 0 ||
        slices[0].box.empty())
        return false;
    std::vector<Box> boxes;
    for (BlockDirectory::Piece const& slice : slices) boxes.push_back(slice.box);
    auto const grid = grid_of(boxes);
    if (!grid) return false;

    std::size_t const rows = group.size() / slices.size();
    std::vector<std::vector<Partial>> sums(slices.size());  // of each slice, by row
    for (std::size_t k = 0; k < rows; ++k) {
        std::size_t const row = (number + k) % rows;  // blocks of one group of ranks end on each of them in turn
        std::vector<Partial> members;
        for (std::size_t s = 0; s < slices.size(); ++s) members.push_back(group[s * rows + row]);
        members = scattered(node, how, *grid, std::move(members));
        for (std::size_t s = 0; s < slices.size(); ++s) sums[s].push_back(members[s]);
    }
    for (std::size_t s = 0; s < slices.size(); ++s) put(node, how, slices[s], summed(node, how, std::move(sums[s])));
    return true;
}

/// What each member of a row has of its own cell when the row has exchanged sums. Runs of cells shrink: a gathering backwards.
std::vector<Lowering::Partial> Lowering::scattered(graph::Node const& node, Combining const& how, CellGrid const& grid,
                                                   std::vector<Partial> members) {
    Parts const counts = grid.counts();
    Parts widths = counts;
    std::vector<Stage> const stages = stages_of(counts);
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
        widths[stage->axis] = stage->width;
        std::vector<Partial> next;
        for (std::size_t m = 0; m < members.size(); ++m) {
            auto const index = index_at(counts, static_cast<Extent>(m));
            Box const box = grid.run(index, widths);
            Folding folding(*this, node, how, box, members[m]);
            for (std::size_t peer : peers(counts, index, *stage))
                if (peer != m) folding.add(sent(node, how, members[peer], box, members[m].rank));
            next.push_back(folding.result());
        }
        members = std::move(next);
    }
    return members;
}

/// Sums of one box on several ranks, on the first of them.
Lowering::Partial Lowering::summed(graph::Node const& node, Combining const& how, std::vector<Partial> sums) {
    constexpr std::size_t at_once = 4;
    while (sums.size() > 1) {
        std::vector<Partial> next;
        for (std::size_t first = 0; first < sums.size(); first += at_once) {
            Folding folding(*this, node, how, sums[first].box, sums[first]);
            for (std::size_t k = first + 1; k < std::min(first + at_once, sums.size()); ++k)
                folding.add(sent(node, how, sums[k], sums[k].box, sums[first].rank));
            next.push_back(folding.result());
        }
        sums = std::move(next);
    }
    return sums.front();
}

/// Enters a block of the node's value, rounded from the accumulate type to the value's dtype.
void Lowering::put(graph::Node const& node, Combining const& how, BlockDirectory::Piece const& slice,
                   Partial const& result) {
    BlockId block = result.block;
    DType const dtype = value(node.output).dtype;
    if (how.partial && how.accumulated != dtype) {
        std::int32_t const kernel =
            tables_.kernel({node.name, graph::identity_einsum(value(node.output).shape), how.accumulated});
        block = on(result.rank).add_block(node.output.value(), dtype, slice.box);
        on(result.rank)
            .add({.kind = TaskKind::reduce,
                  .spec = kernel,
                  .inputs = {result.block},
                  .output = block,
                  .region = slice.box});
    }
    residency_.put(node.output, slice.index, {result.rank, block, slice.box});
}

}  // namespace ein::scheduler
