// The loops of a kernel as its CUDA text wants them: from a Nest, in elements, only the operands that the join reads.
// Example: "ij,jk->ik" has outer loops (i, k) and the inner loop (j).
#pragma once

#include <vector>

#include "executor/device/kernel/nest.hpp"

namespace ein::executor::cuda {

struct Loop {
    Extent length = 1;
    std::vector<Extent> steps;  // of each operand read, in elements
    Extent output_step = 0;
    int label = -1;  // whose value the join asks for, or -1
};

struct Loops {
    std::vector<int> operands;  // those that are read, as the EinSum numbers them
    std::vector<DType> dtypes;  // theirs
    std::vector<Loop> outer;    // over outputs
    std::vector<Loop> inner;    // over terms of an output

    std::size_t count() const { return outer.size() + inner.size(); }
    Loop const& at(std::size_t loop) const { return loop < outer.size() ? outer[loop] : inner[loop - outer.size()]; }
    Extent outputs() const;
    Extent terms() const;
    /// The read operand that moves the most bytes, or -1 when none is read.
    int main_operand() const;
    /// Whether groups of `lanes` neighbours along loop number `lane_loop` are runs that begin at multiples of `lanes`
    /// from the operand's (-1: the output's) first element.
    bool in_runs(int operand, int lane_loop, int lanes) const;
    /// Whether indices, and offsets in elements, stay below `most`.
    bool fit(Extent most) const;
};

inline Extent ceil_div(Extent a, Extent b) { return (a + b - 1) / b; }

/// The step of an operand, or of the output: -1.
Extent step_of(Loop const& loop, int operand);

Loops loops_of(Nest const& nest, scalar::Expr const& join);

/// The same with operands in this order: order[k] is a position in loops.operands.
Loops reordered(Loops loops, std::vector<std::size_t> const& order);

/// Sorts loops so that an operand's steps (or, with -1, the output's) fall: neighbours come last. Those in which it
/// does not move come first.
void sort_by_steps(std::vector<Loop>& loops, int operand);

}  // namespace ein::executor::cuda
