// Kernels of kernels/position.cuh: sums of where(y == [v], x, 0) that read or add whole rows (see graph::as_lookup).
// Example: "vd,i->id" with rows of 64 f32 takes 16 threads of 4 lanes a row, each of which reads its part of x[y[i]].
#pragma once

#include <optional>

#include "executor/device/cuda/source/kernel_struct.hpp"

namespace ein::executor::cuda {

/// @param nest  as make_nest() gives it  @return nothing for other EinSums and those that loops do as fast
std::optional<Program> lookup_program(EinsumText const& text, Nest nest);
std::optional<Program> scatter_program(EinsumText const& text, Nest nest);

}  // namespace ein::executor::cuda
