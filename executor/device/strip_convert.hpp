// Runs of elements from one dtype to another, as lib/tensor converts them, with loops for the common conversions of
// halves that use what the processor has.
#pragma once

#include <cstddef>

#include "lib/base/dtype.hpp"

namespace ein::executor {

/// As tensor::convert; gives the same bits.
void strip_convert(DType from_type, void const* from, std::ptrdiff_t from_stride, DType to_type, void* to,
                   std::size_t count);

/// Adjacent f16 and bf16 elements to f32 and back.
struct HalfLoops {
    using Loop = void (*)(void const* from, void* to, std::size_t count);
    Loop from_half = nullptr, to_half = nullptr, from_bfloat = nullptr, to_bfloat = nullptr;
};

namespace baseline {
HalfLoops half_loops();
}
namespace avx2 {
HalfLoops half_loops();
}
namespace avx512 {
HalfLoops half_loops();
}

}  // namespace ein::executor
