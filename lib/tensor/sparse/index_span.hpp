// From the least to the greatest index along each axis, of indices and boxes that are added one by one.
// Example: of (3, 9) and (5, 2) it is the box [3:6, 2:10].
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "lib/base/box.hpp"

namespace ein::tensor {

class IndexSpan {
public:
    explicit IndexSpan(std::size_t order) : first_(order, std::numeric_limits<Extent>::max()), end_(order, 0) {}

    void add(std::span<Extent const> index) {
        any_ = true;
        for (std::size_t axis = 0; axis < first_.size(); ++axis) {
            first_[axis] = std::min(first_[axis], index[axis]);
            end_[axis] = std::max(end_[axis], index[axis] + 1);
        }
    }
    void add(Box const& box) {
        if (box.empty()) return;
        any_ = true;
        for (std::size_t axis = 0; axis < first_.size(); ++axis) {
            first_[axis] = std::min(first_[axis], box.begin[axis]);
            end_[axis] = std::max(end_[axis], box.end(axis));
        }
    }
    /// Of nothing a box at `begin` without elements.
    Box box(std::vector<Extent> const& begin) const {
        Box out{begin, Shape(begin.size(), 0)};
        if (!any_) return out;
        out.begin = first_;
        for (std::size_t axis = 0; axis < first_.size(); ++axis) out.length[axis] = end_[axis] - first_[axis];
        return out;
    }

private:
    bool any_ = false;
    std::vector<Extent> first_, end_;
};

}  // namespace ein::tensor
