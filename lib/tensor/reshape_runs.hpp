// Which elements two blocks share under a reshape: the same C-order positions under two shapes, as runs.
// Example: shape (6,) block [0:4] and shape (2, 3) block [1:2, 0:3] share position 3: one run of one element.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "lib/base/box.hpp"

namespace ein::tensor {

/// Elements that `from_box` of `from` and `to_box` of `to` share; fast (no walk over single elements).
Extent shared_elements(Shape const& from, Box const& from_box, Shape const& to, Box const& to_box);

/// The C-order positions of a box, first and number, if they are one run. Example: rows 2 and 3 of (8, 5): 10 and 10.
std::optional<std::pair<Extent, Extent>> run_of(Shape const& shape, Box const& box);

/// Calls visit(offset in from_box, offset in to_box, count) for each run of shared elements, in C order; offsets in
/// elements, C order in the boxes.
void for_each_shared_run(Shape const& from, Box const& from_box, Shape const& to, Box const& to_box,
                         std::function<void(Extent, Extent, Extent)> const& visit);

}  // namespace ein::tensor
