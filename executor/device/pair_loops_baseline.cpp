// Compiled for this instruction set by CMakeLists.txt.
#include <cstdint>

#include "executor/device/pair_product.hpp"

namespace ein::executor::baseline {
#include "executor/device/pair_loops.inc"
#include "executor/device/pair_pack.inc"
#include "executor/device/pair_vectors.inc"
}  // namespace ein::executor::baseline
