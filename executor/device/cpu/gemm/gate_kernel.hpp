// Products of a large tensor and a small one whose labels lie anywhere in it, as a gate is applied to a state of many
// qubits: "abcdefgh,xyce->abxdyfgh". The large tensor is walked in boxes that are whole cache lines of it and of the
// result; a box's elements meet the whole small tensor in the lanes of vectors. Leaves other products to
// gemm_kernel.hpp. Source of the pattern: Häner and Steiger, "0.5 petabyte simulation of a 45-qubit quantum circuit"
// (2017), section 3; boxes for any extents are our own.
#pragma once

#include <memory>

#include "executor/device/device.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// @param nest  of the shape, simplified  @return nothing for any other kernel
std::unique_ptr<PreparedKernel const> make_gate_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types, scalar::Params const& params);

}  // namespace ein::executor
