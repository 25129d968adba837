// Seconds of a kernel call that reads or writes sparse blocks, on all threads of a rank. It goes through what one
// operand lists, the one that lists least of those that decide; of dense operands it takes what lies there, partly from
// caches, and of another sparse one what meets it. Example: of "ij,jk->ik", A listing 4 million elements and X of 64
// columns, 512 million operations and 2 GB of rows of X.
#pragma once

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::scheduler {

/// Whether an operand or the result is sparse.
bool is_on_listed(schedule::Section const& section, schedule::Apply const& call);

/// @param operations  of one point of the kernel's label space
double sparse_seconds(schedule::Section const& section, schedule::Apply const& call, schedule::Kernel const& kernel,
                      double operations, Cluster const& cluster);

}  // namespace ein::scheduler
