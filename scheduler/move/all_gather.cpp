#include "scheduler/move/all_gather.hpp"

#include <algorithm>

namespace ein::scheduler {

void StagedAllGather::bring(ValueId value, Box const& region, std::vector<Rank> ranks) {
    if (region.empty() || delivery_.is_read_by_all(value)) return;
    std::erase_if(ranks, [&](Rank rank) { return directory_.copy_of(value, region, rank) != nullptr; });
    double const bytes = static_cast<double>(region.elements()) * static_cast<double>(size_of(mover_.dtype(value)));
    if (ranks.size() < staging_.ranks ||
        bytes > static_cast<double>(staging_.bytes) * static_cast<double>(ranks.size()))
        return;
    auto const group = group_of(value, region, ranks);
    if (!group) return;
    Purpose const purpose = traffic_.purpose_of(directory_.cut(value), region);
    std::vector<Holding> ends;  // who holds the whole, where
    for (std::vector<Rank> const& row : group->owners.rows)
        for (Holding& member : gather(value, group->grid, row, purpose)) ends.push_back(std::move(member));
    for (std::size_t k = 0; k < group->owners.left_over.size(); ++k) {
        Rank const to = group->owners.left_over[k];
        directory_.remember(value, region, {to, transfer(value, ends[k % ends.size()], to, purpose), region});
    }
}

/// Cells as the region is cut, but no more than there are ranks; nothing where it is not cut into a grid.
std::optional<StagedAllGather::Group> StagedAllGather::group_of(ValueId value, Box const& region,
                                                                std::vector<Rank> const& ranks) const {
    std::vector<Box> boxes;
    for (Cut::Block const& block : directory_.cut(value).blocks_meeting(region))
        boxes.push_back(intersection(block.box, region));
    auto const blocks = grid_of(boxes);
    if (!blocks || boxes.size() < 2) return std::nullopt;
    double const bytes = static_cast<double>(region.elements()) * static_cast<double>(size_of(mover_.dtype(value)));
    CellGrid cells = coarser(*blocks, cells_to_gather(blocks->counts(), ranks.size(), bytes));
    double const most_again =
        boxes.size() > tuning::many_pieces ? tuning::little_again * bytes * static_cast<double>(ranks.size()) : 0;
    auto owners = owners_of_cells(
        cells, region, ranks, [&](Box const& box) { return directory_.held(value, box); }, most_again);
    if (!owners) return std::nullopt;
    return Group{std::move(cells), std::move(*owners)};
}

/// All cells to all ranks of a row. @return the whole on each of them
std::vector<Holding> StagedAllGather::gather(ValueId value, CellGrid const& grid, std::vector<Rank> const& row,
                                             Purpose purpose) {
    std::vector<Holding> members;
    for (std::size_t cell = 0; cell < row.size(); ++cell) members.push_back(exactly(value, grid.cell(cell), row[cell]));
    for (CollectiveStep const& step : staged_all_gather(grid)) {
        std::vector<std::vector<Holding>> parts(members.size());
        std::size_t const turns = step.peers.front().size();
        for (std::size_t turn = 0; turn < turns; ++turn)  // each begins with itself, then the peer after it
            for (std::size_t m = 0; m < members.size(); ++m) {
                std::vector<std::size_t> const& peers = step.peers[m];
                auto const own = static_cast<std::size_t>(std::find(peers.begin(), peers.end(), m) - peers.begin());
                std::size_t const peer = peers[(own + turn) % turns];
                Holding part = members[peer];
                if (peer != m) part = {row[m], transfer(value, part, row[m], purpose), part.box};
                parts[m].push_back(std::move(part));
            }
        for (std::size_t m = 0; m < members.size(); ++m) {
            BlockId const whole = mover_.add_block(value, step.boxes[m], row[m]);
            for (Holding const& part : parts[m]) mover_.copy(value, part, whole, part.box);
            members[m] = {row[m], whole, step.boxes[m]};
        }
    }
    for (Holding const& member : members) directory_.remember(value, member.box, member);
    return members;
}

/// A block of the region and no more.
Holding StagedAllGather::exactly(ValueId value, Box const& region, Rank rank) {
    Holding const found = delivery_.need(value, region, rank);
    return found.box == region ? found : Holding{rank, mover_.cut_out(value, found, region), region};
}

BlockId StagedAllGather::transfer(ValueId value, Holding const& from, Rank to, Purpose purpose) {
    return delivery_.transfer(from, value, mover_.dtype(value), to, purpose);
}

}  // namespace ein::scheduler
