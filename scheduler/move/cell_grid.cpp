#include "scheduler/move/cell_grid.hpp"

#include <algorithm>

namespace ein::scheduler {

Parts CellGrid::counts() const {
    Parts out;
    for (std::vector<Extent> const& along : edges) out.push_back(static_cast<std::int64_t>(along.size()) - 1);
    return out;
}

Box CellGrid::run(std::span<Extent const> index, Parts const& widths) const {
    Box box;
    for (std::size_t axis = 0; axis < edges.size(); ++axis) {
        std::int64_t const first = index[axis] / widths[axis] * widths[axis];
        Extent const begin = edges[axis][static_cast<std::size_t>(first)];
        box.begin.push_back(begin);
        box.length.push_back(edges[axis][static_cast<std::size_t>(first + widths[axis])] - begin);
    }
    return box;
}

Box CellGrid::cell(std::size_t linear) const {
    Parts const all = counts();
    return run(index_at(all, static_cast<Extent>(linear)), Parts(all.size(), 1));
}

std::optional<CellGrid> grid_of(std::span<Box const> boxes) {
    if (boxes.empty()) return std::nullopt;
    CellGrid grid;
    std::size_t cells = 1;
    Extent elements = 0, hull = 1;
    for (Box const& box : boxes) elements += box.elements();
    for (std::size_t axis = 0; axis < boxes[0].order(); ++axis) {
        std::vector<Extent> along;
        Extent end = 0;
        for (Box const& box : boxes) {
            along.push_back(box.begin[axis]);
            end = std::max(end, box.end(axis));
        }
        std::sort(along.begin(), along.end());
        along.erase(std::unique(along.begin(), along.end()), along.end());
        cells *= along.size();
        hull *= end - along.front();
        along.push_back(end);
        grid.edges.push_back(std::move(along));
    }
    if (cells != boxes.size() || elements != hull) return std::nullopt;
    for (Box const& box : boxes)
        for (std::size_t axis = 0; axis < box.order(); ++axis) {
            auto const& along = grid.edges[axis];
            auto const at = std::lower_bound(along.begin(), along.end(), box.begin[axis]);
            if (at + 1 == along.end() || *(at + 1) != box.end(axis)) return std::nullopt;
        }
    return grid;
}

CellGrid coarser(CellGrid const& grid, Parts const& counts) {
    CellGrid out;
    for (std::size_t axis = 0; axis < grid.edges.size(); ++axis) {
        auto const& along = grid.edges[axis];
        auto const pieces = static_cast<std::int64_t>(along.size()) - 1;
        std::vector<Extent> fewer;
        for (std::int64_t cell = 0; cell <= counts[axis]; ++cell)
            fewer.push_back(along[static_cast<std::size_t>(cell * pieces / counts[axis])]);
        out.edges.push_back(std::move(fewer));
    }
    return out;
}

}  // namespace ein::scheduler
