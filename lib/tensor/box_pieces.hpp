// A box in pieces of few elements, in C order, each as long a run of rows as fits: the elements of a piece follow one
// another in the box, and those of the next piece follow them.
// Example: pieces of at most 12 elements of rows 0 to 9 of a (10, 5) matrix are two rows each.
#pragma once

#include <algorithm>

#include "lib/base/box.hpp"

namespace ein::tensor {

/// Calls visit(Box) for each piece; `most` is at least 1.
template <class Visit>
void for_each_piece(Box const& box, Extent most, Visit&& visit) {
    for (Extent length : box.length)
        if (length == 0) return;
    std::size_t cut = box.order();  // the axis that is cut into runs; those after it are whole, those before it walked
    Extent inner = 1;               // elements of one index of it
    while (cut > 0) {
        --cut;
        if (box.length[cut] > most / inner) break;
        if (cut > 0) inner *= box.length[cut];
    }
    if (box.order() == 0) return visit(box);
    Extent const run = std::max<Extent>(1, most / inner);
    Shape const outer(box.length.begin(), box.length.begin() + static_cast<std::ptrdiff_t>(cut));
    for_each_index(outer, [&](std::vector<Extent> const& index) {
        Box piece = box;
        for (std::size_t axis = 0; axis < cut; ++axis) {
            piece.begin[axis] += index[axis];
            piece.length[axis] = 1;
        }
        for (Extent done = 0; done < box.length[cut]; done += run) {
            piece.begin[cut] = box.begin[cut] + done;
            piece.length[cut] = std::min(run, box.length[cut] - done);
            visit(static_cast<Box const&>(piece));
        }
    });
}

}  // namespace ein::tensor
