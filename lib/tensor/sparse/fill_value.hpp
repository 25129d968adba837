// The value of what a sparse tensor does not list, as an element, and which elements are it by value: -0 is 0, any nan
// is any other. Example: FillValue(f32, {}).is(bytes of -0.0f) holds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"

namespace ein::tensor {

class FillValue {
public:
    FillValue(DType dtype, scalar::Scalar const& value);

    std::span<std::byte const> bytes() const { return bytes_; }  // of one element
    /// Sets every element.
    void fill(std::span<std::byte> out) const;
    /// Numbers of those of `elements` that are something else.
    void others(std::span<std::byte const> elements, std::vector<Extent>& out) const;
    Extent count_others(std::span<std::byte const> elements) const;

private:
    DType dtype_;
    std::vector<std::byte> bytes_;
};

}  // namespace ein::tensor
