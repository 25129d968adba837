// Kernels of kernels/fold.cuh: values without aggregation, and reductions in one or two launches. They do any EinSum.
// Example: of "ij->i" with rows of a million elements the first launch leaves states in scratch, the second merges them.
#pragma once

#include "executor/device/cuda/join_source.hpp"
#include "executor/device/cuda/loops.hpp"
#include "executor/device/cuda/program.hpp"

namespace ein::executor::cuda {

/// What the sources of an EinSum have in common.
struct EinsumText {
    KernelShape const& shape;
    KernelTypes types;
    JoinSource join;
    Gpu gpu;
};

/// @param no_terms  outputs are aggregates of nothing
Program fold_program(EinsumText const& text, Loops loops, bool aggregates, bool no_terms);

}  // namespace ein::executor::cuda
