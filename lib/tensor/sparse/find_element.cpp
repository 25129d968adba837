#include "lib/tensor/sparse/find_element.hpp"

#include <algorithm>
#include <cstring>

namespace ein::tensor {
namespace {

template <class T>
Extent number_at(std::byte const* array, Extent k) {
    T value;
    std::memcpy(&value, array + static_cast<std::size_t>(k) * sizeof value, sizeof value);
    return static_cast<Extent>(value);
}

/// The first of [first, end) for which `before` does not hold; those for which it holds come first.
template <class Before>
Extent partition_point(Extent first, Extent end, Before const& before) {
    while (first < end) {
        Extent const middle = first + (end - first) / 2;
        if (before(middle))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

}  // namespace

SparseLook::SparseLook(void const* block, SparseLayout const& layout, Shape const& lengths, DType dtype)
    : block_(static_cast<std::byte const*>(block)),
      layout_(layout),
      lengths_(lengths),
      dtype_(dtype),
      listed_(listed_in({block_, 8})),
      width_(index_bytes(lengths)),
      at_(sparse_offsets(layout, lengths, dtype, listed_)) {}

Extent SparseLook::coord(Extent element, std::size_t axis) const {
    auto const place = static_cast<std::size_t>(
        std::find(layout_.axes.begin(), layout_.axes.end(), static_cast<int>(axis)) - layout_.axes.begin());
    if (place > 0 || !layout_.compressed) {
        std::byte const* const coords = block_ + at_.coords[place];
        return width_ == 4 ? number_at<std::uint32_t>(coords, element) : number_at<std::uint64_t>(coords, element);
    }
    return partition_point(0, lengths_[axis], [&](Extent index) {
        return number_at<std::uint64_t>(block_ + at_.offsets, index + 1) <= element;
    });
}

std::byte const* SparseLook::value(Extent element) const {
    return block_ + at_.values + static_cast<std::size_t>(element) * size_of(dtype_);
}

SparseLook::Run SparseLook::run(Extent index) const {
    if (layout_.compressed)
        return {number_at<std::uint64_t>(block_ + at_.offsets, index),
                number_at<std::uint64_t>(block_ + at_.offsets, index + 1)};
    std::size_t const axis = first_axis();
    Extent const first = partition_point(0, listed_, [&](Extent e) { return coord(e, axis) < index; });
    return {first, partition_point(first, listed_, [&](Extent e) { return coord(e, axis) <= index; })};
}

Extent SparseLook::find(std::span<Extent const> index) const {
    if (layout_.axes.empty()) return listed_ > 0 ? 0 : -1;
    Run within = run(index[first_axis()]);
    for (std::size_t place = 1; place < layout_.axes.size(); ++place) {
        auto const axis = static_cast<std::size_t>(layout_.axes[place]);
        Extent const wanted = index[axis];
        within.first = partition_point(within.first, within.end, [&](Extent e) { return coord(e, axis) < wanted; });
        within.end = partition_point(within.first, within.end, [&](Extent e) { return coord(e, axis) <= wanted; });
    }
    return within.first < within.end ? within.first : -1;
}

}  // namespace ein::tensor
