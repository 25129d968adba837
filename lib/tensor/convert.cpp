#include "lib/tensor/convert.hpp"

#include "lib/tensor/cast.hpp"

namespace ein::tensor {
namespace {

template <class From, class To>
void convert_adjacent(std::byte const* __restrict from, std::byte* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) store(to + i * sizeof(To), cast<To>(load<From>(from + i * sizeof(From))));
}

template <class From, class To>
void convert_strided(std::byte const* from, std::ptrdiff_t stride, std::byte* to, std::size_t count) {
    std::ptrdiff_t const step = stride * static_cast<std::ptrdiff_t>(sizeof(From));
    for (std::size_t i = 0; i < count; ++i)
        store(to + i * sizeof(To), cast<To>(load<From>(from + static_cast<std::ptrdiff_t>(i) * step)));
}

template <class T>
void repeat(T value, std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) store(to + i * sizeof(T), value);
}

template <class From, class To>
void convert_run(std::byte const* from, std::ptrdiff_t stride, std::byte* to, std::size_t count) {
    if (stride == 0)
        repeat(cast<To>(load<From>(from)), to, count);
    else if (stride != 1)
        convert_strided<From, To>(from, stride, to, count);
    else if constexpr (std::is_same_v<From, To>)
        std::memcpy(to, from, count * sizeof(To));
    else
        convert_adjacent<From, To>(from, to, count);
}

}  // namespace

void convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to,
             std::size_t count) {
    if (count == 0) return;
    auto const* const source = static_cast<std::byte const*>(from);
    auto* const target = static_cast<std::byte*>(to);
    with_type(from_type, [&]<class From>(From) {
        with_type(to_type, [&]<class To>(To) { convert_run<From, To>(source, from_stride, target, count); });
    });
}

}  // namespace ein::tensor
