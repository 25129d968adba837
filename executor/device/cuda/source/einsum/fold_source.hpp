// Kernels of kernels/fold.cuh: values without aggregation, and reductions in one or two launches. They do any EinSum.
// Example: of "ij->i" with rows of a million elements the first launch leaves states in scratch, the second merges
// them.
#pragma once

#include "executor/device/cuda/source/einsum/fold_plan.hpp"
#include "executor/device/cuda/source/kernel_struct.hpp"

namespace ein::executor::cuda {

/// @param no_terms  outputs are aggregates of nothing
Program fold_program(EinsumText const& text, Loops loops, bool aggregates, bool no_terms);

/// Merges plan.parts states of each output, which an earlier launch has left in scratch in the order of the outer
/// loops.
Launch merge_launch(EinsumText const& text, Loops const& loops, FoldPlan const& plan);

/// Blocks of fold_threads threads, of which a GPU gets a few for each that it holds.
unsigned fold_blocks(Extent threads, Gpu const& gpu);

}  // namespace ein::executor::cuda
