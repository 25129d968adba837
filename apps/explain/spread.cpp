#include "apps/explain/spread.hpp"

#include <algorithm>

namespace ein::apps::explain {
namespace {

/// Collects single cells; the cells of a rank must fill their bounding box.
class Cells {
public:
    Cells(Parts grid, int ranks)
        : spread_{std::move(grid), std::vector<std::optional<Box>>(static_cast<std::size_t>(ranks))},
          counts_(static_cast<std::size_t>(ranks), 0) {}

    void add(Rank rank, std::vector<Extent> const& cell) {
        if (rank.value() < 0) return;
        auto const r = static_cast<std::size_t>(rank.value());
        ++counts_[r];
        std::optional<Box>& box = spread_.of_rank[r];
        if (!box) box = Box{cell, Shape(cell.size(), 1)};
        for (std::size_t axis = 0; axis < cell.size(); ++axis) {
            Extent const end = std::max(box->end(axis), cell[axis] + 1);
            box->begin[axis] = std::min(box->begin[axis], cell[axis]);
            box->length[axis] = end - box->begin[axis];
        }
    }

    std::optional<Spread> finish() && {
        for (std::size_t r = 0; r < counts_.size(); ++r)
            if (spread_.of_rank[r] && spread_.of_rank[r]->elements() != counts_[r]) return std::nullopt;
        return std::move(spread_);
    }

private:
    Spread spread_;
    std::vector<Extent> counts_;
};

}  // namespace

std::optional<Spread> spread_of_calls(Parts const& parts, std::vector<int> const& order, std::vector<Rank> const& calls,
                                      int ranks) {
    Cells cells(parts, ranks);
    Parts counts;
    for (int label : order) counts.push_back(parts[static_cast<std::size_t>(label)]);
    std::size_t call = 0;
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        std::vector<Extent> cell(parts.size(), 0);
        for (std::size_t k = 0; k < order.size(); ++k) cell[static_cast<std::size_t>(order[k])] = index[k];
        cells.add(calls[call++], cell);
    });
    return std::move(cells).finish();
}

std::optional<Spread> spread_of_layout(scheduler::Layout const& layout, int ranks) {
    if (layout.ranks.empty() || layout.subblocks.size() != layout.parts.size()) return std::nullopt;
    Parts grid = layout.parts;
    for (std::size_t axis = 0; axis < grid.size(); ++axis) grid[axis] *= layout.subblocks[axis];
    Cells cells(grid, ranks);
    std::size_t block = 0;
    for_each_index(layout.parts, [&](std::vector<Extent> const& part) {
        for_each_index(layout.subblocks, [&](std::vector<Extent> const& subblock) {
            std::vector<Extent> cell = part;
            for (std::size_t axis = 0; axis < cell.size(); ++axis)
                cell[axis] = part[axis] * layout.subblocks[axis] + subblock[axis];
            cells.add(layout.ranks[block++], cell);
        });
    });
    return std::move(cells).finish();
}

Spread projected(Spread const& spread, std::vector<int> const& labels) {
    Spread out;
    for (int label : labels) out.grid.push_back(spread.grid[static_cast<std::size_t>(label)]);
    for (std::optional<Box> const& box : spread.of_rank) {
        out.of_rank.emplace_back();
        if (!box) continue;
        out.of_rank.back().emplace();
        for (int label : labels) {
            out.of_rank.back()->begin.push_back(box->begin[static_cast<std::size_t>(label)]);
            out.of_rank.back()->length.push_back(box->length[static_cast<std::size_t>(label)]);
        }
    }
    return out;
}

}  // namespace ein::apps::explain
