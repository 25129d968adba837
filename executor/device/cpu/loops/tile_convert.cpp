#include "executor/device/cpu/loops/tile_convert.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

#include "executor/device/cpu/instruction_set.hpp"
#include "lib/tensor/convert.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t bytes_together = 1024;

template <class T>
void bring_together(void const* from, std::ptrdiff_t stride, std::byte* to, std::size_t count) {
    auto const* const elements = static_cast<T const*>(from);
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(to + i * sizeof(T), elements + static_cast<std::ptrdiff_t>(i) * stride, sizeof(T));
}

/// Elements that lie `stride` of them apart are brought together, some at a time, and then converted.
void apart(ConvertLoop loop, std::size_t from_size, void const* from, std::ptrdiff_t stride, std::size_t to_size,
           void* to, std::size_t count) {
    alignas(64) std::byte together[bytes_together];
    auto const* source = static_cast<std::byte const*>(from);
    auto* target = static_cast<std::byte*>(to);
    auto const step = stride * static_cast<std::ptrdiff_t>(from_size);
    for (std::size_t n; count > 0; count -= n) {
        n = std::min(count, bytes_together / from_size);
        switch (from_size) {
            case 1: bring_together<std::uint8_t>(source, stride, together, n); break;
            case 2: bring_together<std::uint16_t>(source, stride, together, n); break;
            case 4: bring_together<std::uint32_t>(source, stride, together, n); break;
            case 8: bring_together<std::uint64_t>(source, stride, together, n); break;
            default: bring_together<std::complex<double>>(source, stride, together, n);
        }
        loop(together, target, n);
        source += static_cast<std::ptrdiff_t>(n) * step;
        target += n * to_size;
    }
}

ConvertLoop best_key_loop(HalfKey const& key) { return EIN_OF_BEST_SET(key_loop(key)); }

ConvertLoop best_half_loop(HalfKey const& key) { return EIN_OF_BEST_SET(half_loop(key)); }

}  // namespace

ConvertLoop best_convert_loop(DType from, DType to) { return EIN_OF_BEST_SET(convert_loop(from, to)); }

void keys_of(HalfKey const& key, void const* halves, std::ptrdiff_t stride, void* keys, std::size_t count) {
    ConvertLoop const loop = best_key_loop(key);
    if (stride == 1) return loop(halves, keys, count);
    apart(loop, size_of(key.half), halves, stride, size_of(DType::i16), keys, count);
}

void halves_of(HalfKey const& key, void const* keys, void* halves, std::size_t count) {
    best_half_loop(key)(keys, halves, count);
}

bool passes_through(DType from, DType between, DType to) {
    if (from == between || between == to) return true;
    return promote(from, between) == between && !(from == DType::i64 && kind(between) >= Kind::real);
}

void tile_convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to,
                  std::size_t count) {
    ConvertLoop const loop = best_convert_loop(from_type, to_type);
    if (loop == nullptr)
        tensor::convert(from_type, from, from_stride, to_type, to, count);
    else if (from_stride == 1)
        loop(from, to, count);
    else
        apart(loop, size_of(from_type), from, from_stride, size_of(to_type), to, count);
}

}  // namespace ein::executor
