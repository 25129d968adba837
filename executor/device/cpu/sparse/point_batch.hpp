// Points that contribute, gathered until there are enough for a vector tile: then the join runs over them and its
// values are combined into accumulators. Points are added in runs; a run has one accumulator for all its points, or
// one for each. Which points are combined before they come to their accumulator depends on the row they are in alone.
// Leaves which points there are to row_walk.hpp, accumulators to slots.hpp.
#pragma once

#include <vector>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/cpu/sparse/slots.hpp"

namespace ein::executor {

/// What batches of a kernel share.
struct JoinOfPoints {
    LoopBody body;
    std::vector<DType> operand_dtypes;
    std::size_t tile = 0;     // points of a batch
    bool aggregates = false;  // else each accumulator gets one value, which replaces its own

    JoinOfPoints(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params);
    bool has_indices() const { return body.indices > 0; }
};

class PointBatch {
public:
    PointBatch(JoinOfPoints const& join, Slots& slots);
    /// Runs to come begin a row: what was combined so far is apart.
    void begin_row() { flush(); }
    /// Makes room for a run. @param each  whether its points have accumulators from `slot` on, else `slot` is for all
    void begin_run(std::size_t slot, std::size_t points, bool each);
    /// The values of an operand along the run: `stride` in elements, 0 repeats one.
    void operand(std::size_t k, std::byte const* from, Extent stride);
    /// @param indices  of labels along the run; only for joins that ask for them
    void end_run(std::span<scalar::TileIndex const> indices);
    void flush();

private:
    struct Run {
        std::size_t slot, count;
        bool each;
    };
    scalar::TileOperand to_accumulate(scalar::TileOperand values);
    std::byte const* spread(scalar::TileOperand values);

    JoinOfPoints const& join_;
    Slots& slots_;
    DType registers_;
    std::size_t width_;           // of an element in registers of the compute type
    std::vector<bool> narrowed_;  // see LoopKernel
    std::size_t operand_bytes_, value_bytes_;
    Scratch scratch_;
    std::byte *operands_, *values_, *program_;
    std::vector<scalar::TileOperand> tile_operands_;
    std::vector<scalar::TileIndex> indices_;
    std::vector<Run> runs_;
    std::size_t count_ = 0, run_ = 0;  // points; of them in the run that is being made
};

}  // namespace ein::executor
