// Boxes that lie in a value: whether they hold all of another box; and a box in parts that follow one another in its C
// order. Example: [0:2, 0:4] and [2:4, 0:4] hold [1:3, 0:4]; parts of at most 4 elements of [0:2, 0:4] are its rows.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "executor/checkpoint/folder/manifest.hpp"

namespace ein::executor {

/// Whether each element of `box` is in one of `boxes`.
bool is_covered(Box const& box, std::span<SavedBox const> boxes);

/// What of a box lies outside of another, as boxes that do not overlap.
std::vector<Box> without(Box const& box, Box const& taken);

/// Calls visit(part) for parts of `box` of at most `most` (at least 1) elements, one after another in its C order.
template <class Visit>
void for_each_part(Box const& box, Extent most, Visit const& visit) {
    if (box.empty()) return;
    if (box.elements() <= most) return visit(box);
    std::size_t axis = 0;
    while (box.length[axis] == 1) ++axis;
    Extent const row = box.elements() / box.length[axis];
    Extent const rows = std::max<Extent>(1, most / row);
    for (Extent at = box.begin[axis]; at < box.end(axis); at += rows) {
        Box part = box;
        part.begin[axis] = at;
        part.length[axis] = std::min(rows, box.end(axis) - at);
        for_each_part(part, most, visit);
    }
}

}  // namespace ein::executor
