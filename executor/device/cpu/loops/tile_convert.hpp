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

/// Adjacent elements of one dtype to another's, for conversions that are worth it; nullptr for others.
using ConvertLoop = void (*)(void const* from, void* to, std::size_t count);

namespace baseline {
ConvertLoop convert_loop(DType from, DType to);
}
namespace avx2 {
ConvertLoop convert_loop(DType from, DType to);
}
namespace avx512 {
ConvertLoop convert_loop(DType from, DType to);
}

}  // namespace ein::executor
