// Converting runs of elements between dtypes and register types, as NumPy's astype does (integers wrap; real to bool is != 0;
// complex to real keeps the real part; f16 and bf16 round to nearest even).
#pragma once

#include <cstddef>

#include "lib/base/dtype.hpp"

namespace ein::tensor {

/// Converts `count` elements; `from_stride` in elements (0 repeats one element). `to` is contiguous and must not overlap `from`.
void convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to, std::size_t count);

}  // namespace ein::tensor
