// Compiled for this instruction set by CMakeLists.txt.
#include <immintrin.h>

#include <cstdint>
#include <utility>

#include "executor/device/cpu/gemm/pair_product.hpp"

namespace ein::executor::avx512 {
// Each uses the ones before it.
// clang-format off
#include "executor/device/cpu/gemm/pair_vectors.inc"
#include "executor/device/cpu/gemm/pair_pack.inc"
#include "executor/device/cpu/gemm/pair_loops.inc"
// clang-format on
}  // namespace ein::executor::avx512
