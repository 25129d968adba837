// Runs of elements from one dtype to another, as lib/tensor converts them, with loops for the common conversions
// (halves, small integers that are computed with as floating-point numbers) that use what the processor has.
#pragma once

#include <cstddef>

#include "lib/base/dtype.hpp"

namespace ein::executor {

/// As tensor::convert; gives the same bits.
void tile_convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to,
                  std::size_t count);

/// Whether converting by way of `between` gives what converting at once does.
bool passes_through(DType from, DType between, DType to);

/// How f16 or bf16 are looked at to find the least or the greatest of them: as i16 in the same order, in which a nan is
/// beyond all that the aggregation wins from.
struct HalfKey {
    DType half = DType::f16;
    bool greatest = false;     // is wanted; else the least
    bool equal_zeros = false;  // 0 and -0 are one key; else -0 is the lesser, and keys tell each half but which nan
};

/// Adjacent keys of halves that lie `stride` elements apart.
void keys_of(HalfKey const& key, void const* halves, std::ptrdiff_t stride, void* keys, std::size_t count);
/// Adjacent halves of adjacent keys. @param key  without equal_zeros
void halves_of(HalfKey const& key, void const* keys, void* halves, std::size_t count);

/// Adjacent elements of one dtype to another's, for conversions that are worth it; nullptr for others.
using ConvertLoop = void (*)(void const* from, void* to, std::size_t count);
ConvertLoop best_convert_loop(DType from, DType to);

namespace baseline {
ConvertLoop convert_loop(DType from, DType to);
ConvertLoop key_loop(HalfKey const& key);
ConvertLoop half_loop(HalfKey const& key);  // back
}  // namespace baseline
namespace avx2 {
ConvertLoop convert_loop(DType from, DType to);
ConvertLoop key_loop(HalfKey const& key);
ConvertLoop half_loop(HalfKey const& key);  // back
}  // namespace avx2
namespace avx512 {
ConvertLoop convert_loop(DType from, DType to);
ConvertLoop key_loop(HalfKey const& key);
ConvertLoop half_loop(HalfKey const& key);  // back
}  // namespace avx512

}  // namespace ein::executor
