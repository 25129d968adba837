// Which boxes of inputs are read for a box of what a Move or a Reshape makes, and back.
// Example: of x[1:9:2], its elements 1 and 2 are image({1 + 2k}, [1:3]) = [3:6] of x; of a matrix of 4 by 5 as one axis
// of 20, [3:12] is rows_of {[0:1, 3:5], [1:2, 0:5], [2:3, 0:2]}.
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::relation {

/// The indices that a box of the output reads, as the smallest box; the box is not empty.
/// @param axes  counted from where the output's indices are
Box image(Box const& region, std::vector<graph::AxisMap> const& axes);

/// A region's maps counted from the beginning of the output, as schedules have them.
std::vector<graph::AxisMap> from_output_begin(graph::Move::Region const& region);

/// The part of `region` whose images lie in `source`.
Box preimage(Box const& source, std::vector<graph::AxisMap> const& axes, Box const& region);

/// Boxes of a tensor of shape `from` that cover what a box of it as shape `to` reads: none overlaps another, and what
/// they have more is little where the box is cut along the first axes of groups that are joined or split.
std::vector<Box> boxes_before_reshape(Shape const& from, Shape const& to, Box const& box);

}  // namespace ein::relation
