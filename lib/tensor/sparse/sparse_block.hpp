// The bytes of a sparse block: elements of a box that are listed with their coordinates; all others have the tensor's
// fill. Coordinates are relative to the box, sorted by the axes of a layout, each at most once. They lie behind one
// another, each array at a multiple of 8 bytes:
//
//   listed     u64             how many
//   offsets    u64[n + 1]      where each index of the first axis of the layout begins (n: its length); only where it
//                              is compressed
//   coords     index[listed]   of every other axis of the layout, in its order; of the first too where it is not
//                              compressed
//   values     dtype[listed]
//
// `index` is u32, or u64 for a box with an axis longer than 2^32 - 1. So the first bytes_of(..., listed) bytes are the
// block, whatever more was reserved for it: that is what is sent and stored.
// Example: rows 2 and 3 of a matrix, 7 at (2, 5) and 9 at (3, 0), layout {0, 1} compressed: listed 2, offsets 0 1 2,
// coords 5 0, values 7 9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/error.hpp"

namespace ein::tensor {

/// In which order the elements of a sparse block lie.
struct SparseLayout {
    std::vector<int> axes;   // a permutation of the tensor's: sorted by the first, then the second, ...
    bool compressed = true;  // the first axis as offsets, of order 1 or more; else its coordinates are listed
    friend bool operator==(SparseLayout const&, SparseLayout const&) = default;
    friend auto operator<=>(SparseLayout const&, SparseLayout const&) = default;
};

/// Elements in C order, the first axis compressed: what results and files have.
SparseLayout in_order(std::size_t order);

/// Bytes of a coordinate: 4 or 8.
std::size_t index_bytes(std::span<Extent const> lengths);

/// Bytes of a block with `listed` elements. @param lengths  of its box
std::int64_t sparse_bytes(SparseLayout const& layout, std::span<Extent const> lengths, DType dtype, Extent listed);

/// Where the arrays of a block begin, in bytes from its first.
struct SparseOffsets {
    std::size_t offsets = 0;          // where compressed
    std::vector<std::size_t> coords;  // by place in SparseLayout::axes; 0 for the compressed one
    std::size_t values = 0;
    std::size_t end = 0;
};
SparseOffsets sparse_offsets(SparseLayout const& layout, std::span<Extent const> lengths, DType dtype, Extent listed);

/// The number of elements that a block says it lists.
Extent listed_in(std::span<std::byte const> block);
void set_listed(std::span<std::byte> block, Extent listed);

/// More elements than a block has room for. Whoever knows for which data the room was reserved says so.
class SparseRoomError : public InternalError {
public:
    explicit SparseRoomError(Extent listed)
        : InternalError("a sparse block is larger than what was reserved for it"), listed_(listed) {}
    Extent listed() const { return listed_; }

private:
    Extent listed_;
};
/// To be asked before a block of `listed` elements is written. @throws SparseRoomError unless it takes at most `room`
/// bytes
void check_room(SparseOffsets const& at, Extent listed, std::size_t room);

/// Elements with their coordinates, in any order; what readers gather before it becomes a block.
struct ListedElements {
    std::vector<std::vector<Extent>> coords;  // by axis, of the whole tensor
    std::vector<std::byte> values;            // in one dtype

    Extent count(DType dtype) const { return static_cast<Extent>(values.size() / size_of(dtype)); }
};

/// Writes the block of those that lie in `box`. Each place is listed once at most.
/// @param out  at least sparse_bytes of as many  @return how many there were  @throws SparseRoomError
Extent write_sparse_block(ListedElements const& elements, DType dtype, Box const& box, SparseLayout const& layout,
                          std::span<std::byte> out);

/// A block written part by part, so that what is gathered for it is never there as a whole: each part lists what has
/// the next indices along the layout's first axis.
class SlabWriter {
public:
    /// @param listed  in all of the box  @throws SparseRoomError
    SlabWriter(Box const& box, SparseLayout const& layout, DType dtype, Extent listed, std::span<std::byte> out);
    /// @param slab  behind those before, along the layout's first axis; whole along the others
    void add(ListedElements const& elements, Box const& slab);
    /// @return the block's bytes  @throws InternalError unless as many were listed as was said
    std::int64_t finish() const;

private:
    friend Extent write_sparse_block(ListedElements const& elements, DType dtype, Box const& box,
                                     SparseLayout const& layout, std::span<std::byte> out);
    void put(ListedElements const& elements, std::span<std::size_t const> order, Box const& slab);

    Box const& box_;
    SparseLayout const& layout_;
    DType dtype_;
    std::size_t listed_, done_ = 0;
    SparseOffsets at_;
    std::span<std::byte> out_;
};

/// The same of elements that are sorted already, in C order: a block in that order.
/// @param keys  ascending places in the box, counted in C order  @param values  of each, of `dtype`
/// @param written  called now and then with how many of them are no longer needed
/// @return the block's bytes
std::int64_t write_sorted_block(std::span<std::uint64_t const> keys, std::span<std::byte const> values, DType dtype,
                                Box const& box, bool compressed, std::span<std::byte> out,
                                std::function<void(std::size_t)> const& written = {});

/// What a block lists, with coordinates of the whole tensor, in its order.
ListedElements elements_of(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout);
/// The same of `count` elements from number `first` on.
ListedElements elements_of(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout,
                           Extent first, Extent count);

/// @throws InternalError unless a block is as said above: sorted, in its box, arrays within it. For what came from
/// elsewhere (a message, a spill file), and tests.
void check_sparse_block(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout);

}  // namespace ein::tensor
