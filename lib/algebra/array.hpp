// The small dense arrays that the algebra's interpreter computes with: doubles in C order. Runs use blocks of any dtype
// instead.
#pragma once

#include <vector>

#include "lib/base/box.hpp"

namespace ein::tra {

struct Array {
    Shape bound;
    std::vector<double> values;

    static Array zeros(Shape bound) {
        auto const count = static_cast<std::size_t>(element_count(bound));
        return {std::move(bound), std::vector<double>(count, 0.0)};
    }
    friend bool operator==(Array const&, Array const&) = default;
};

/// Elements [begin, begin + length) along one axis.
Array slice(Array const& array, int axis, Extent begin, Extent length);
/// The arrays one behind the other along an axis; all have the same bound, and there is at least one.
Array concatenated(std::vector<Array const*> const& arrays, int axis);

}  // namespace ein::tra
