// Compiled for this instruction set by CMakeLists.txt.
#include <cstdint>

#include "executor/device/pair_product.hpp"

namespace ein::executor::avx512 {
#include "executor/device/pair_loops.inc"
}  // namespace ein::executor::avx512
