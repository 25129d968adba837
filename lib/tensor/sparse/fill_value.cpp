#include "lib/tensor/sparse/fill_value.hpp"

#include "lib/tensor/cast.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::tensor {
namespace {

template <class T>
bool same(T a, T b) {
    if constexpr (is_complex_type<T>::value)
        return same(a.real(), b.real()) && same(a.imag(), b.imag());
    else if constexpr (is_half_type<T>)
        return same(cast<float>(a), cast<float>(b));
    else if constexpr (std::is_same_v<T, BoolByte>)
        return (a.byte != 0) == (b.byte != 0);
    else
        return a == b || (a != a && b != b);
}

/// Calls visit(number) for each element that is not the fill.
template <class Visit>
void for_each_other(DType dtype, std::byte const* fill, std::span<std::byte const> elements, Visit&& visit) {
    with_type(dtype, [&]<class T>(T) {
        T const value = load<T>(fill);
        for (std::size_t k = 0; k < elements.size() / sizeof(T); ++k)
            if (!same(load<T>(elements.data() + k * sizeof(T)), value)) visit(static_cast<Extent>(k));
    });
}

}  // namespace

FillValue::FillValue(DType dtype, scalar::Scalar const& value) : dtype_(dtype), bytes_(size_of(dtype)) {
    if (value.is_integer)
        convert(DType::i64, &value.integer, 0, dtype, bytes_.data(), 1);
    else
        convert(DType::c128, &value.number, 0, dtype, bytes_.data(), 1);
}

void FillValue::fill(std::span<std::byte> out) const {
    convert(dtype_, bytes_.data(), 0, dtype_, out.data(), out.size() / bytes_.size());
}

void FillValue::others(std::span<std::byte const> elements, std::vector<Extent>& out) const {
    for_each_other(dtype_, bytes_.data(), elements, [&](Extent k) { out.push_back(k); });
}

Extent FillValue::count_others(std::span<std::byte const> elements) const {
    Extent count = 0;
    for_each_other(dtype_, bytes_.data(), elements, [&](Extent) { ++count; });
    return count;
}

}  // namespace ein::tensor
