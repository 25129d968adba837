// How one value is cut: a grid of parts, and within each part a grid of subblocks of its own where several ranks share
// it. Subblocks never cross the part's edges, whatever the extents. Where one rank has neighbouring cells of the grid,
// they may be one part. Knows boxes only; who holds them is in block_directory.hpp. Example: 7 rows in 2 parts, the
// first in 3 subblocks: [0,2) [2,3) [3,4) | [4,7).
#pragma once

#include <optional>
#include <vector>

#include "lib/base/partition.hpp"

namespace ein::scheduler {

class Cut {
public:
    struct Block {
        std::size_t index;  // parts in C order, then the subblocks of each in C order
        Box box;
    };

    Cut() = default;
    Cut(Shape shape, Parts parts);

    /// Puts neighbouring cells of the grid together: these boxes, each of whole cells and all of them together the
    /// tensor, are the parts from now on, numbered as they stand. To be done before any index is asked for.
    void merge(std::vector<Box> boxes);

    /// Cuts every part again: part k into a grid of subblocks[k]. To be done before any index is asked for.
    void subdivide(std::vector<Parts> subblocks);

    Parts const& parts() const { return parts_; }  // the grid
    bool merged() const { return !boxes_.empty(); }
    /// The subblocks of every part, or nothing when parts are subdivided in different ways.
    std::optional<Parts> subblocks() const;
    std::size_t part_count() const { return first_.size() - 1; }
    std::size_t blocks() const { return first_.back(); }
    Box box(std::size_t index) const;
    Box part_box(std::size_t part) const;
    Shape const& shape() const { return shape_; }
    /// All that tells it from other cuts, as numbers.
    void describe(std::vector<Extent>& numbers) const;
    /// The blocks whose boxes meet `region`, in order of index; none for an empty region.
    std::vector<Block> blocks_meeting(Box const& region) const;
    std::vector<std::size_t> parts_meeting(Box const& region) const;

private:
    Parts const& subblocks_of(std::size_t part) const { return subblocks_.empty() ? whole_ : subblocks_[part]; }
    void append_meeting(std::size_t part, Box outer, Box const& region, std::vector<Block>& out) const;

    Shape shape_;
    Parts parts_;
    std::vector<Box> boxes_;          // of the parts, when they are merged cells
    Parts whole_;                     // one subblock along every axis
    std::vector<Parts> subblocks_;    // by part; empty while no part is subdivided
    std::vector<std::size_t> first_;  // index of each part's first block, and at last the number of blocks
};

/// About `count` subblocks of a part: the prime factors of `count`, largest first, each along an axis where the
/// subblocks fall together with the cuts of `wanted` (when there are such), else the first axis that has room for it
/// (long subblocks are runs of memory), else the longest. What does not fit is left out.
/// @param wanted  how the next reader cuts the value, or empty
Parts subblocks_for(Shape const& shape, Box const& part, std::int64_t count, Parts const& wanted = {});

}  // namespace ein::scheduler
