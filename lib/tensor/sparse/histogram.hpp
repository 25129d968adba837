// Roughly where the listed elements of a tensor lie: how many are in each cell of a coarse grid.
// Example: an identity of 8 by 8 in cells {2, 2} has the counts 4, 0, 0, 4.
#pragma once

#include <vector>

#include "lib/base/partition.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

struct Histogram {
    Parts cells;                 // along each axis
    std::vector<Extent> counts;  // in C order of the grid
    friend bool operator==(Histogram const&, Histogram const&) = default;

    Extent total() const;
    /// About how many lie in a box: cells that it cuts count by the share that is inside.
    double estimate(Shape const& shape, Box const& box) const;
    /// The part of a box that the cells with elements in it span; without any, of length 0. Of counts that are exact.
    Box hull(Shape const& shape, Box const& box) const;

private:
    template <class Visit>
    void for_each_cell(Shape const& shape, Box const& box, Visit const& visit) const;
};

/// Cells of a grid, all counts 0: axes are halved, the one with the longest cells first, as long as there are `most`
/// cells or fewer.
Histogram empty_histogram(Shape const& shape, std::int64_t most);

/// Counts elements by their coordinates.
class HistogramCounter {
public:
    HistogramCounter(Shape const& shape, std::int64_t most);
    void add(ListedElements const& elements);  // by coordinates alone
    void add(std::span<Extent const> index);
    void add(HistogramCounter const& other);  // of the same shape and cells
    Histogram take() { return std::move(histogram_); }

private:
    struct Axis {
        Extent small, in_long_parts, long_parts;  // lengths of the shorter parts; what the longer ones hold
        std::int64_t stride;                      // in cells
    };
    static std::int64_t part(Axis const& axis, Extent position);

    Histogram histogram_;
    std::vector<Axis> axes_;
};

}  // namespace ein::tensor
