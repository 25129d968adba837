// Which kernels of a schedule are the same code: nodes of a graph often repeat one EinSum, and preparing it once is
// enough. Example: three nodes "ij,jk->ik" over equal extents, the third with another join: {0, 0, 2}.
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// @return for each kernel the first one that equals it but for the node's name
Table<schedule::KernelId, schedule::KernelId> distinct_kernels(
    Table<schedule::KernelId, schedule::Kernel> const& kernels);

}  // namespace ein::executor
