// Looking one element of a sparse block up, and the run of elements that share an index of its first axis.
#pragma once

#include <span>

#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

/// A block as it lies, for looking into it: valid as long as its bytes are. Elements are numbered in their order.
class SparseLook {
public:
    SparseLook(void const* block, SparseLayout const& layout, Shape const& lengths, DType dtype);

    Extent listed() const { return listed_; }
    /// The coordinate of an element along an axis of the tensor, counted from the box's begin.
    Extent coord(Extent element, std::size_t axis) const;
    std::byte const* value(Extent element) const;
    /// The element with these coordinates (counted from the box's begin); -1: it is not listed.
    Extent find(std::span<Extent const> index) const;
    struct Run {
        Extent first = 0, end = 0;
    };
    /// Elements with an index along the first axis of the layout.
    Run run(Extent index) const;
    std::size_t first_axis() const { return static_cast<std::size_t>(layout_.axes.front()); }

private:
    std::byte const* block_;
    SparseLayout const& layout_;
    Shape const& lengths_;
    DType dtype_;
    Extent listed_;
    std::size_t width_;
    SparseOffsets at_;
};

}  // namespace ein::tensor
