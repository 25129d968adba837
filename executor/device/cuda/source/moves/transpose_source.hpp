// Kernels of kernels/transpose.cuh: elementwise ones whose operands and output run along different loops.
// Example: "ij,ji->ij" of x + y reads x directly and y through tiles.
#pragma once

#include <optional>

#include "executor/device/cuda/source/kernel_struct.hpp"

namespace ein::executor::cuda {

/// @return nothing where no operand runs across the output, or tiles would be mostly empty
std::optional<Program> transpose_program(EinsumText const& text, Loops loops);

}  // namespace ein::executor::cuda
