// Converting runs of elements between dtypes and register types, as NumPy's astype does (integers wrap; real to bool is
// != 0; complex to real keeps the real part; f16 and bf16 round to nearest even, f64 at once; reals to integers
// truncate, then keep the low bits of an i64; nan, inf and what no i64 holds give 0).
#pragma once

#include <cstddef>

#include "lib/base/dtype.hpp"

namespace ein::tensor {

/// Converts `count` elements; `from_stride` in elements (0 repeats one element). `to` is contiguous and must not
/// overlap `from`. Neither needs to be aligned.
void convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to, std::size_t count);

}  // namespace ein::tensor
