#include "lib/tensor/host_tensor.hpp"

#include "lib/base/error.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::tensor {
namespace {

std::size_t bytes_for(DType dtype, Shape const& shape) {
    std::optional<Extent> const count = checked_element_count(shape);
    promise(count.has_value() && *count >= 0, "a tensor of shape " + to_string(shape));
    std::size_t bytes = 0;
    promise(!__builtin_mul_overflow(static_cast<std::size_t>(*count), size_of(dtype), &bytes),
            "a tensor of shape " + to_string(shape));
    return bytes;
}

}  // namespace

HostTensor::HostTensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), bytes_(bytes_for(dtype, shape_)) {}

scalar::Scalar HostTensor::at(Extent linear) const {
    promise(linear >= 0 && linear < elements(), "an element inside the tensor");
    std::byte const* const from = bytes_.data() + static_cast<std::size_t>(linear) * size_of(dtype_);
    scalar::Scalar value;
    value.is_integer = kind(dtype_) <= Kind::integer;
    if (value.is_integer)
        convert(dtype_, from, 1, DType::i64, &value.integer, 1);
    else
        convert(dtype_, from, 1, DType::c128, &value.number, 1);
    return value;
}

void HostTensor::set(Extent linear, scalar::Scalar value) {
    promise(linear >= 0 && linear < elements(), "an element inside the tensor");
    std::byte* const to = bytes_.data() + static_cast<std::size_t>(linear) * size_of(dtype_);
    if (value.is_integer)
        convert(DType::i64, &value.integer, 1, dtype_, to, 1);
    else
        convert(DType::c128, &value.number, 1, dtype_, to, 1);
}

}  // namespace ein::tensor
