// Kernels that compute the same, whatever their nodes and labels are called: layers of a network have the same ones
// again and again. Example: of the products of 32 layers, ids 3, 27, 51, ..., the first alike is 3.
#pragma once

#include "lib/schedule/model/header.hpp"

namespace ein::scheduler {

/// For each kernel the first one that is alike, itself where none is before it.
using AlikeKernels = Table<schedule::KernelId, schedule::KernelId>;

AlikeKernels alike_kernels(Table<schedule::KernelId, schedule::Kernel> const& kernels);

}  // namespace ein::scheduler
