// How the threads of a GPU share the work of a kernel that folds terms into outputs: which loop's neighbours a thread
// handles in one go (lanes), how many threads of a block share an output, into how many parts its terms are cut.
// Example: sums of 4 rows of a million f32 take 4 lanes, 256 threads an output, and some 130 parts, merged by a second
// launch.
#pragma once

#include "executor/device/cuda/source/loops.hpp"
#include "executor/device/cuda/source/program.hpp"

namespace ein::executor::cuda {

inline constexpr Extent fold_threads = 256;  // of a block, as in kernels/fold.cuh

struct FoldPlan {
    int lanes = 1;
    int lane_loop = 0;   // among outer loops and then inner ones; the last of its kind
    bool rows = false;   // threads that share an output are neighbours
    Extent sharing = 1;  // threads of a block for an output, a power of two
    Extent parts = 1;    // of an output's terms
    Extent merging = 1;  // threads for an output where parts are merged
};

/// Sorts the loops so that neighbouring threads read neighbours, and plans. `folds` is false when nothing is
/// aggregated.
FoldPlan fold_plan(Loops& loops, DType output, bool folds, Gpu const& gpu);

}  // namespace ein::executor::cuda
