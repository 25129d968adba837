// How a nest of loops is cut into pieces for threads: along one of its levels. A function of the nest alone, never of
// the number of threads. Leaves the levels to loop_plan.hpp. Example: "ij->j" of few columns and many rows is cut along
// i, and its pieces make partial results.
#pragma once

#include "executor/device/cpu/loops/loop_plan.hpp"

namespace ein::executor {

/// Sets what of a plan says so: the level, how many pieces, and whether they share outputs.
void cut_into_pieces(Nest const& nest, LoopPlan& plan);

/// A plan that was made for a nest of other lengths, cut for this one, where that changes no order of terms.
LoopPlan cut_anew(Nest const& nest, LoopPlan plan);

}  // namespace ein::executor
