// Kernels of kernels/contract.cuh: rows times columns over terms, by tiles, for any join of two operands.
// Example: min over k of x[i, k] + y[k, j] of 512 x 512 has 64 tiles of 64 x 64, so few that its terms are cut in
// parts.
#pragma once

#include <optional>

#include "executor/device/cuda/source/kernel_struct.hpp"

namespace ein::executor::cuda {

/// @return nothing where the operands do not move so, or tiles would be mostly empty
std::optional<Program> contract_program(EinsumText const& text, Loops loops);

}  // namespace ein::executor::cuda
