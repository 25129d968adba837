// A whole tensor in memory, C order: what the interpreter, the tests and eintool work with. Ranks hold blocks instead.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"

namespace ein::tensor {

class HostTensor {
public:
    HostTensor() = default;
    HostTensor(DType dtype, Shape shape);  // zeros

    DType dtype() const { return dtype_; }
    Shape const& shape() const { return shape_; }
    Extent elements() const { return element_count(shape_); }
    std::vector<std::byte> const& bytes() const { return bytes_; }
    std::vector<std::byte>& bytes() { return bytes_; }

    scalar::Scalar at(Extent linear) const;         // by C-order position
    void set(Extent linear, scalar::Scalar value);  // already of this dtype (see scalar::convert)

private:
    DType dtype_ = DType::f32;
    Shape shape_;
    std::vector<std::byte> bytes_;
};

}  // namespace ein::tensor
