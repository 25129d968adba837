// Sparse blocks made into others: in another order, cut, put together, dense, and from dense. All take time linear in
// what is listed (and in the boxes' lengths along their axes): elements are sorted by counting, an axis at a time.
// Example: select() with layout {1, 0} transposes the order of a matrix's elements; with a region it cuts; with axes
// {{0, 1}} it takes the diagonal.
#pragma once

#include <span>
#include <vector>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

/// A block and what its bytes mean.
struct SparseBlockView {
    std::span<std::byte const> bytes;
    DType dtype = DType::f32;
    Box box;
    SparseLayout layout;
};

/// What is taken of a block: those elements that lie in `region`, which is in its box.
struct SparseSelection {
    Box region;
    /// Of each axis of the result: the block's axes that it stands for. Several: they must have equal indices, counted
    /// from the region's begin. Each axis of the block in one of them.
    std::vector<std::vector<int>> axes;

    /// Everything in a region, axes as they are.
    static SparseSelection of(Box region);
    /// Lengths of the result's axes.
    Shape lengths() const;
};

/// The block of what is selected, its coordinates counted from the region's begin.
std::vector<std::byte> select(SparseBlockView const& block, SparseSelection const& selection,
                              SparseLayout const& layout);
/// The same into reserved memory. @return how many it lists
Extent select(SparseBlockView const& block, SparseSelection const& selection, SparseLayout const& layout,
              std::span<std::byte> out);
/// How many elements lie in a region.
Extent listed_in(SparseBlockView const& block, Box const& region);

/// One block of the elements of several whose boxes do not overlap; those outside `box` are left out.
/// @return how many it lists
Extent assemble(std::span<SparseBlockView const> parts, Box const& box, SparseLayout const& layout,
                std::span<std::byte> out);

/// An index that is read for an index of a result: start + step * index.
struct IndexMap {
    Extent start = 0, step = 1;  // never 0
};

/// The block of what is listed where `maps` (one an axis) of `region`'s indices are; `region` lies in `box`, the box of
/// the result. @param parts  of one tensor, whose boxes do not overlap  @return how many it lists
Extent relocate(std::span<SparseBlockView const> parts, std::span<IndexMap const> maps, Box const& region,
                Box const& box, SparseLayout const& layout, std::span<std::byte> out);

/// The block of what lies in `box` of the same elements in C order under another shape.
/// @param parts  of a tensor of shape `from`, whose boxes do not overlap  @return how many it lists
Extent refold(std::span<SparseBlockView const> parts, Shape const& from, Shape const& to, Box const& box,
              SparseLayout const& layout, std::span<std::byte> out);

/// The elements of a region in C order, those that are not listed as `fill` (of the block's dtype).
void densify(SparseBlockView const& block, scalar::Scalar const& fill, Box const& region, std::span<std::byte> out);

/// How many elements of a dense block (adjacent, any order) differ from `fill`: -0 does not from 0, nor nan from nan.
Extent differing(std::span<std::byte const> elements, DType dtype, scalar::Scalar const& fill);
/// The block of those elements of a dense one, in C order of its lengths. @return how many it lists
Extent sparsify(std::span<std::byte const> elements, DType dtype, std::span<Extent const> lengths,
                scalar::Scalar const& fill, SparseLayout const& layout, std::span<std::byte> out);

}  // namespace ein::tensor
