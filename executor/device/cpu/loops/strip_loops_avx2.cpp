// Compiled for this instruction set by CMakeLists.txt.
#include <cstdint>

#include "executor/device/cpu/loops/strip_aggregate.hpp"
#include "executor/device/cpu/loops/strip_convert.hpp"

namespace ein::executor::avx2 {
#include "executor/device/cpu/loops/strip_loops.inc"
}  // namespace ein::executor::avx2
