// How one axis is cut into balanced parts and a shape into a grid of blocks. Sizes differ by at most one,
// the longer parts first. Knows shapes only; which rank holds a block is decided in scheduler/.
// Example: extent 7 in 3 parts is [0,3) [3,5) [5,7); an extent of 0 has one empty part.
#pragma once

#include "lib/base/box.hpp"

namespace ein {

using Parts = std::vector<std::int64_t>;  // a partition vector: pieces along each axis or label, each >= 1

/// Where part `index` of `parts` begins; part_begin(extent, parts, parts) is the extent.
constexpr Extent part_begin(Extent extent, std::int64_t parts, std::int64_t index) {
    Extent const remainder = extent % parts;
    return index * (extent / parts) + (index < remainder ? index : remainder);
}

constexpr Extent part_length(Extent extent, std::int64_t parts, std::int64_t index) {
    return extent / parts + (index < extent % parts ? 1 : 0);
}

/// The part that element `position` of an axis is in.
constexpr std::int64_t part_of(Extent extent, std::int64_t parts, Extent position) {
    Extent const small = extent / parts;
    Extent const remainder = extent % parts;
    Extent const in_long_parts = remainder * (small + 1);
    return position < in_long_parts ? position / (small + 1) : remainder + (position - in_long_parts) / small;
}

/// In increasing order, each as often as it divides; none for 1.
std::vector<std::int64_t> prime_factors(std::int64_t n);

/// The block at grid coordinates `index` of `shape` cut by `parts`.
Box block_box(std::span<Extent const> shape, std::span<std::int64_t const> parts, std::span<Extent const> index);

/// The grid coordinates of the blocks that meet `region` (which must not be empty): first and count for each axis.
Box blocks_meeting(std::span<Extent const> shape, std::span<std::int64_t const> parts, Box const& region);

}  // namespace ein
