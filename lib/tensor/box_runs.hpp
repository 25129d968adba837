// A box of an array as runs of adjacent elements, as long as possible: inner axes that the box covers wholly are
// merged.
// Example: rows 10 to 19 of a (4000, 400) array are one run of 4000 elements from position 4000 on.
#pragma once

#include "lib/base/box.hpp"

namespace ein::tensor {

/// `count` elements at position `in_array` of the array and `in_box` of the box, both counted in C order.
struct Run {
    Extent in_array = 0;
    Extent in_box = 0;
    Extent count = 0;
};

/// Calls visit(Run) for each run, in C order (ascending in both). `box` lies inside an array of `shape`.
template <class Visit>
void for_each_run(Shape const& shape, Box const& box, Visit&& visit) {
    if (box.empty()) return;
    std::vector<Extent> const strides = row_major_strides(shape);
    std::size_t outer = shape.size();  // axes [0, outer) are walked, the others are inside a run
    Run run{0, 0, 1};
    while (outer > 0) {
        --outer;
        run.count *= box.length[outer];
        if (box.length[outer] != shape[outer]) break;
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) run.in_array += box.begin[axis] * strides[axis];
    std::vector<Extent> index(outer, 0);
    while (true) {
        visit(static_cast<Run const&>(run));
        run.in_box += run.count;
        std::size_t axis = outer;
        while (axis > 0) {
            run.in_array += strides[axis - 1];
            if (++index[axis - 1] < box.length[axis - 1]) break;
            run.in_array -= strides[axis - 1] * box.length[axis - 1];
            index[--axis] = 0;
        }
        if (axis == 0) return;
    }
}

}  // namespace ein::tensor
