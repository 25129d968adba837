// Points that contribute, gathered until there are enough for a vector tile: then the join runs over them and its
// values are combined into accumulators. Points are added in runs; a run has one accumulator for all its points, or
// one for each: side by side, or anywhere. Which points are combined before they come to their accumulator depends on
// the row they are in alone. Leaves which points there are to row_walk.hpp, accumulators to slots.hpp.
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
    /// @param longest_run  of those with adjacent accumulators, however the kernel is cut: shorter ones that follow one
    /// another are combined together; 0: each apart
    PointBatch(JoinOfPoints const& join, Slots& slots, Extent longest_run);
    /// Makes room for a run. @param each  whether its points have accumulators from `slot` on, else `slot` is for all
    void begin_run(std::size_t slot, std::size_t points, bool each);
    /// Begins or continues a run of points that have one accumulator. @return how many of `most` go into it
    std::size_t begin_shared_run(std::size_t slot, std::size_t most);
    /// A run whose points have these accumulators, any of them more than once; a tile's points at most.
    void begin_scattered_run(std::span<std::size_t const> slots);
    /// The values of an operand along the run: `stride` in elements, 0 repeats one.
    void operand(std::size_t k, std::byte const* from, Extent stride);
    /// The same, of elements that are anywhere. @param offsets  in bytes
    void operand(std::size_t k, std::byte const* from, std::span<Extent const> offsets);
    /// Where the values of an operand along the run may be written in its own dtype, in place of operand(): null where
    /// they have to be brought to another one.
    std::byte* room_of(std::size_t k) const {
        return join_.operand_dtypes[k] == registers_ ? operands_ + operand_bytes_ * k + count_ * width_ : nullptr;
    }
    /// @param indices  of labels along the run; only for joins that ask for them
    void end_run(std::span<scalar::TileIndex const> indices);
    void flush();

private:
    enum class SlotsOf : std::uint8_t { one, adjacent, any };
    struct Run {
        std::size_t slot, count;
        SlotsOf slots;
        std::size_t rows = 1;  // of points of the same adjacent accumulators, one after another
        std::size_t points() const { return count * rows; }
    };
    bool continues(Run const& run) const;
    void combine(Run const& run, std::byte const* values);
    scalar::TileOperand to_accumulate(scalar::TileOperand values);
    std::byte const* spread(scalar::TileOperand values);

    JoinOfPoints const& join_;
    Slots& slots_;
    bool joins_runs_;
    std::size_t rows_together_;
    DType registers_;
    std::size_t width_;           // of an element in registers of the compute type
    std::vector<bool> narrowed_;  // see LoopKernel
    std::size_t operand_bytes_, value_bytes_;
    Scratch scratch_;
    std::byte *operands_, *values_, *program_;
    std::vector<scalar::TileOperand> tile_operands_;
    std::vector<scalar::TileIndex> indices_;
    std::vector<Run> runs_;
    std::vector<std::size_t> scattered_;  // slots of points of runs with accumulators anywhere
    std::size_t count_ = 0, run_ = 0;     // points; of them in the run that is being made
};

}  // namespace ein::executor
