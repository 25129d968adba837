#include "lib/algebra/array.hpp"

namespace ein::tra {
namespace {

/// Copies the elements of `small` to or from where they are in `large`, `begin` further along `axis`.
template <class Copy>
void along(Shape const& small, Shape const& large, std::size_t axis, Extent begin, Copy copy) {
    std::vector<Extent> const strides = row_major_strides(large);
    std::size_t at = 0;
    for_each_index(small, [&](std::vector<Extent> const& index) {
        Extent offset = begin * strides[axis];
        for (std::size_t k = 0; k < index.size(); ++k) offset += index[k] * strides[k];
        copy(at++, static_cast<std::size_t>(offset));
    });
}

}  // namespace

Array slice(Array const& array, int axis, Extent begin, Extent length) {
    auto const a = static_cast<std::size_t>(axis);
    Shape bound = array.bound;
    bound[a] = length;
    Array out = Array::zeros(bound);
    along(bound, array.bound, a, begin, [&](std::size_t to, std::size_t from) { out.values[to] = array.values[from]; });
    return out;
}

Array concatenated(std::vector<Array const*> const& arrays, int axis) {
    auto const a = static_cast<std::size_t>(axis);
    Shape bound = arrays.front()->bound;
    Extent const length = bound[a];
    bound[a] *= static_cast<Extent>(arrays.size());
    Array out = Array::zeros(bound);
    Extent begin = 0;
    for (Array const* array : arrays) {
        along(array->bound, bound, a, begin,
              [&](std::size_t from, std::size_t to) { out.values[to] = array->values[from]; });
        begin += length;
    }
    return out;
}

}  // namespace ein::tra
