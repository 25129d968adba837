// BlockDirectory's exchanges in stages (see stages.hpp): small pieces of a region that many ranks want. Each rank takes the cell of the region that it
// holds, or one that nobody has taken; members of a row exchange runs of cells until they have all. Where there are more ranks
// than cells there are several rows; ranks that are left over get the whole region from one that has it.
#include <algorithm>
#include <set>

#include "scheduler/move/block_directory.hpp"
#include "scheduler/move/stages.hpp"

namespace ein::scheduler {

/// Who starts with which cell: rows of one rank a cell, and who is left over.
struct BlockDirectory::Spreading {
    CellGrid grid;
    std::vector<std::vector<Rank>> rows;  // by cell, in C order
    std::vector<Rank> left_over;
};

std::optional<BlockDirectory::Spreading> BlockDirectory::spreading(ValueId value, Box const& region,
                                                         std::vector<Rank> const& ranks) const {
    std::vector<Box> boxes;
    for (Piece const& piece : blocks_meeting(value, region)) boxes.push_back(intersection(piece.box, region));
    auto const pieces = grid_of(boxes);
    if (!pieces || boxes.size() < 2) return std::nullopt;
    Spreading out{coarser(*pieces, static_cast<std::int64_t>(ranks.size())), {}, {}};
    Parts const counts = out.grid.counts();
    auto const cells = static_cast<std::size_t>(element_count(counts));
    if (cells < 2) return std::nullopt;
    std::size_t const rows = ranks.size() / cells;
    out.rows.assign(rows, std::vector<Rank>(cells, Rank{-1}));
    std::set<Rank> idle(ranks.begin(), ranks.end());
    double more = 0;  // bytes that ranks have, and would get again
    for (Held const& held : this->held(value, region))
        if (idle.contains(held.rank)) more += held.bytes;
    Parts const one(counts.size(), 1);
    std::vector<std::size_t> taken(cells, 0);
    auto take = [&](std::size_t cell, Rank rank) {
        out.rows[taken[cell]++][cell] = rank;
        idle.erase(rank);
    };
    for (std::size_t cell = 0; cell < cells; ++cell)
        for (Held const& held : this->held(value, out.grid.run(index_at(counts, static_cast<Extent>(cell)), one))) {
            if (taken[cell] == rows || !idle.contains(held.rank)) continue;
            take(cell, held.rank);
            more -= held.bytes;
        }
    if (more > 0) return std::nullopt;
    for (std::size_t cell = 0; cell < cells; ++cell)
        while (taken[cell] < rows) take(cell, *idle.begin());
    out.left_over.assign(idle.begin(), idle.end());
    return out;
}

void BlockDirectory::spread(ValueId value, Box const& region, std::vector<Rank> ranks) {
    if (region.empty() || (state(value).source >= 0 && inputs_ == InputsPolicy::shared)) return;
    std::erase_if(ranks, [&](Rank rank) { return copy_of(value, region, rank).has_value(); });
    double const bytes =
        static_cast<double>(region.elements()) * static_cast<double>(size_of(graph_.value(value).dtype));
    if (ranks.size() < staging_.ranks ||
        bytes > static_cast<double>(staging_.bytes) * static_cast<double>(ranks.size()))
        return;
    auto const how = spreading(value, region, ranks);
    if (!how) return;
    Purpose const purpose = purpose_of(value, region);
    std::vector<Holding> ends;
    for (std::vector<Rank> const& row : how->rows) gather(value, how->grid, row, purpose, ends);
    for (std::size_t k = 0; k < how->left_over.size(); ++k) {
        Holding const& from = ends[k % ends.size()];
        Rank const to = how->left_over[k];
        remember(value, region, {to, transfer(from, value.value(), graph_.value(value).dtype, to, purpose), region});
    }
}

/// All cells to all ranks of a row. Appends to `ends` who then holds the whole, where.
void BlockDirectory::gather(ValueId value, CellGrid const& grid, std::vector<Rank> const& row, Purpose purpose,
                       std::vector<Holding>& ends) {
    DType const dtype = graph_.value(value).dtype;
    Parts const counts = grid.counts();
    Parts widths(counts.size(), 1);
    std::vector<Holding> members;
    for (std::size_t cell = 0; cell < row.size(); ++cell)
        members.push_back(exactly(value, grid.run(index_at(counts, static_cast<Extent>(cell)), widths), row[cell]));
    for (Stage const& stage : stages_of(counts)) {
        widths[stage.axis] *= stage.factor;
        std::vector<std::vector<Holding>> parts(members.size());
        for (std::size_t m = 0; m < members.size(); ++m)
            for (std::size_t peer : peers(counts, index_at(counts, static_cast<Extent>(m)), stage)) {
                Holding part = members[peer];
                if (peer != m) part = {row[m], transfer(part, value.value(), dtype, row[m], purpose), part.box};
                parts[m].push_back(std::move(part));
            }
        for (std::size_t m = 0; m < members.size(); ++m) {
            Box const box = grid.run(index_at(counts, static_cast<Extent>(m)), widths);
            BlockId const whole = on(row[m]).add_block(value.value(), dtype, box);
            for (Holding const& part : parts[m]) copy(value, part, whole, part.box);
            members[m] = {row[m], whole, box};
        }
    }
    for (Holding const& member : members) remember(value, member.box, member);
    ends.insert(ends.end(), members.begin(), members.end());
}

/// A block of the region and no more.
Holding BlockDirectory::exactly(ValueId value, Box const& region, Rank rank) {
    Holding const found = need(value, region, rank);
    return found.box == region ? found : Holding{rank, cut_out(value, found, region), region};
}

}  // namespace ein::scheduler
