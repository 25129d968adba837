// Shapes, boxes of indices, and walking over them in C order (last axis fastest).
// Example: Box{{0, 2}, {4, 3}} begins at (0, 2), has lengths (4, 3) and 12 elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ein {

using Extent = std::int64_t;
using Shape = std::vector<Extent>;  // one extent an axis; {} is a scalar

/// A rectangle of indices: begin and length of each axis.
struct Box {
    std::vector<Extent> begin;
    Shape length;

    static Box whole(Shape const& shape) { return {std::vector<Extent>(shape.size(), 0), shape}; }
    std::size_t order() const { return begin.size(); }
    Extent end(std::size_t axis) const { return begin[axis] + length[axis]; }
    Extent elements() const;
    bool empty() const;                     // also of a box with more elements than can be counted
    bool contains(Box const& other) const;  // an empty box is in every box
    friend bool operator==(Box const&, Box const&) = default;
    friend auto operator<=>(Box const&, Box const&) = default;
};

/// A box whose numbers lie elsewhere, in a pool; as short-lived as a span. Example: view(box).box() == box.
struct BoxView {
    std::span<Extent const> begin, length;

    std::size_t order() const { return begin.size(); }
    Extent end(std::size_t axis) const { return begin[axis] + length[axis]; }
    Extent elements() const;
    Box box() const { return {{begin.begin(), begin.end()}, {length.begin(), length.end()}}; }
};
inline BoxView view(Box const& box) { return {box.begin, box.length}; }

/// The box of an operand or output with these labels in a region, an interval for each label: what a kernel call reads
/// or writes. Example: labels (2, 0) of [1:5, 2:7, 3:9] are [3:9, 1:5].
Box projected(BoxView const& region, std::vector<int> const& labels);
inline Box projected(Box const& region, std::vector<int> const& labels) { return projected(view(region), labels); }

/// What two boxes of the same order share (lengths never negative).
Box intersection(Box const& a, Box const& b);

/// Whether the elements of `part`, a box inside `whole`, follow one another in the C order of `whole`.
/// Example: rows [2:4, 0:5] of [0:8, 0:5] do, columns [0:8, 0:2] do not.
bool is_one_run(Box const& part, Box const& whole);
/// How many elements of `whole` come before the first of `part`, in C order.
Extent offset_in(Box const& part, Box const& whole);

/// Of a shape that has so many as can be counted: large extents may stand before one that is 0.
inline Extent element_count(std::span<Extent const> shape) {
    std::uint64_t count = 1;
    for (Extent extent : shape) count *= static_cast<std::uint64_t>(extent);
    return static_cast<Extent>(count);
}
inline Extent BoxView::elements() const { return element_count(length); }
/// The same, or nothing when the product does not fit in 63 bits.
std::optional<Extent> checked_element_count(std::span<Extent const> shape);

/// Elements from one index to the next along each axis, in C order.
std::vector<Extent> row_major_strides(std::span<Extent const> shape);

/// The index of element number `linear` of a shape in C order.
std::vector<Extent> index_at(std::span<Extent const> shape, Extent linear);
/// "[1, 0]": an index as messages show it, or a shape as JSON has it.
std::string index_text(std::span<Extent const> index);

/// Calls visit(index) for every index of a grid of `counts`, in C order; once with {} for order 0.
template <class Visit>
void for_each_index(std::span<Extent const> counts, Visit&& visit) {
    for (Extent count : counts)
        if (count == 0) return;
    std::vector<Extent> index(counts.size(), 0);
    while (true) {
        visit(static_cast<std::vector<Extent> const&>(index));
        std::size_t axis = counts.size();
        while (axis > 0 && ++index[axis - 1] == counts[axis - 1]) index[--axis] = 0;
        if (axis == 0) return;
    }
}

/// "(4, 3)", "(5,)", "()": as NumPy prints a shape.
std::string to_string(std::span<Extent const> shape);
/// "[0:4, 2:5]"
std::string to_string(Box const& box);

}  // namespace ein
