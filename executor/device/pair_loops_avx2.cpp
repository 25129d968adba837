// Compiled for this instruction set by CMakeLists.txt.
#include <immintrin.h>

#include <cstdint>

#include "executor/device/pair_product.hpp"

namespace ein::executor::avx2 {
// clang-format off: each uses the ones before it
#include "executor/device/pair_loops.inc"
#include "executor/device/pair_pack.inc"
#include "executor/device/pair_vectors.inc"
// clang-format on
}  // namespace ein::executor::avx2
