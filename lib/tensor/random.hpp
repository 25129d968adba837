// Random tensors that need no state: an element depends on the seed and its global index alone, so every partition,
// rank count and device draws the same tensor. Only IEEE additions, multiplications, divisions and square roots, each
// rounded on its own, are used: the same bits on every machine. Any program can reproduce them:
//
//   philox(c0, c1, c2, c3)  Philox4x32-10 (Salmon et al., SC 2011) with the key (seed mod 2^32, seed div 2^32):
//                  four words w0..w3
//   bits(n)      = w[2h] + 2^32 w[2h+1] of philox(b mod 2^32, b div 2^32, 0, 0), where b = n div 2, h = n mod 2
//   unit(n)      = (bits(n) div 2^11) / 2^53                                                    in [0, 1)
//   normal(n)    = sqrt(-2 log u) cos(2 pi v), in f64, of philox(n mod 2^32, n div 2^32, 1, 0), where
//                  u = ((w0 + 2^32 w1) div 2^11 + 1) / 2^53 in (0, 1], v = ((w2 + 2^32 w3) div 2^11) / 2^53 in [0, 1)
//
// For real dtypes element n is low + (high - low) unit(n), or mean + std normal(n), in f64, then rounded to the dtype;
// a uniform value that would round to high or more is the dtype's greatest value below high. So an f32 tensor is the
// f64 one, rounded. Complex element n has the real part of index 2n and the imaginary part of index 2n + 1 of the real
// tensor with twice the elements. Integers: uniform is ceil(low) + (bits(n) * (ceil(high) - ceil(low))) div 2^64;
// normal is rounded to the nearest (even) whole number and held to the dtype's range. bool: whether the f64 value is
// above the midpoint (uniform) or the mean (normal). log and cos are the series written in random.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/tensor/source.hpp"

namespace ein::tensor {

/// Philox4x32-10. Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
/// 2011.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t seed);

/// @throws InputError when bounds are not finite, low > high, std < 0, or an integer range is empty or leaves the dtype
void check_random(RandomSource const& source, std::string const& tensor, DType dtype);

/// Fills `out` with elements first, first + 1, ... of `count` in C order of the whole tensor.
void fill_random(RandomSource const& source, DType dtype, Extent first, Extent count, std::byte* out);

/// The same of elements anywhere in the tensor. @param places  in C order of the whole tensor, modulo 2^64
void fill_random_at(RandomSource const& source, DType dtype, std::span<std::uint64_t const> places, std::byte* out);

}  // namespace ein::tensor
