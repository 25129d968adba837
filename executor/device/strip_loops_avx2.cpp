// Compiled for this instruction set by CMakeLists.txt.
#include <cstdint>

#include "executor/device/strip_aggregate.hpp"
#include "executor/device/strip_convert.hpp"

namespace ein::executor::avx2 {
#include "executor/device/strip_loops.inc"
}  // namespace ein::executor::avx2
