// One walk through a loop kernel's nest, by one thread: where it stands, and what happens at each vector tile.
#pragma once

#include "executor/device/cpu/loops/loop_kernel.hpp"

namespace ein::executor {

inline Extent in_elements(Extent bytes, DType type) { return bytes / static_cast<Extent>(size_of(type)); }

class LoopKernel::Walk {
public:
    /// @param scratch  layout_.total bytes at a multiple of 64
    Walk(LoopKernel const& kernel, std::span<void const* const> operands, void* output, std::span<Extent const> begin,
         std::byte* scratch);
    /// Some of it at each vector tile; no more than the kernel goes over itself: more would not come meanwhile.
    void bring_meanwhile(std::span<std::byte const> next);
    void run(std::int64_t piece);

private:
    using Values = scalar::TileOperand;

    void loop(std::size_t level, std::byte* output, Extent tile);
    void iterate(std::size_t level, std::byte* output, Extent tile);
    /// Tiles of the operands that vector tiles cross, at their places here, take the operands' place inside.
    void turn_operands(std::size_t level);
    /// The rows [from, to) of an aggregated level, several at a time.
    void add_strips(std::size_t level, Extent from, Extent to, Extent tile);
    /// What of [from, to) of an aggregated level is not the identity for all outputs of the tile, in whole blocks.
    std::pair<Extent, Extent> clipped(Level const& level, Extent from, Extent to) const;
    void finish(std::size_t level, std::byte* output, Extent tile);
    void compute_vector_tile(std::byte* output, Extent tile);
    void copy_vector_tile(std::byte* output);
    void bring_some();
    std::span<std::byte const> some_of_next();
    /// @param result  where the values stay; null: nowhere
    Values join(std::byte* result);
    void run_loop(scalar::VectorLoop const& loop, std::byte* result) {
        if (k_.by_row_) return run_rows(loop, result);
        loop.run(rows() * columns(), loop_operands(), result, some_of_next());
    }
    void run_rows(scalar::VectorLoop const& loop, std::byte* result);
    /// Labels behind the others, where the loop asks for them.
    std::span<Values const> loop_operands();
    Values fetch(std::size_t operand);
    void gather(std::size_t operand, std::byte* to);
    void convert(std::size_t operand, std::byte const* from, Extent step, std::byte* to, std::size_t count);
    Values to_accumulate(Values values, std::size_t count);
    void const* spread(Values values, std::size_t count, std::size_t size);
    void aggregate(Values values, Extent tile);
    /// A row of a vector tile, and the index that is looked for at its first element; `along` it grows.
    struct FoundRow {
        std::size_t row;
        std::int64_t first;
        bool along;
    };
    /// Whether every output of a vector tile holds an index already that is before all of the vector tile's.
    bool is_found_before(Extent tile);
    /// Where the join gives 1, not 0: the first such index.
    void find(Extent tile);
    void find(std::uint8_t const* values, bool constant, std::size_t at);
    void find_in_row(std::uint8_t const* values, bool constant, std::size_t at, FoundRow const& of);
    /// Of values, the indices where they are the best: what is held so far is begun and taken over.
    void start_best();
    void find_best(Values values, Extent tile);
    bool becomes_columns(std::size_t rows, std::size_t columns, std::size_t size) const;
    void find_best_in_strip(void const* rows, Extent step, std::size_t count, Extent tile, std::int64_t first);
    void* best_so_far(Extent tile) const;
    std::int64_t* found_so_far(Extent tile) const { return reinterpret_cast<std::int64_t*>(tile_.state) + tile; }
    void store(void const* values, std::byte* output, std::size_t rows, std::size_t columns);
    void store_run(void const* values, std::byte* output, Extent stride, std::size_t count);
    void const* merged(void const* values, std::byte const* output, Extent stride, std::size_t count);

    Extent extent(std::size_t label) const { return label == LoopPlan::none ? 1 : extents_[label]; }
    std::size_t columns() const { return static_cast<std::size_t>(extent(k_.plan_.inner)) * terms(); }
    std::size_t terms() const { return static_cast<std::size_t>(extent(k_.plan_.middle)); }  // of a middle label
    std::size_t rows() const { return static_cast<std::size_t>(extent(k_.plan_.outer)); }
    bool in_output(std::size_t label) const { return label != LoopPlan::none && !k_.nest_.labels[label].aggregated; }
    Extent output_stride(std::size_t label) const {
        return label == LoopPlan::none ? 0 : k_.nest_.labels[label].output_stride;
    }
    Extent stride(std::size_t label, std::size_t operand) const {
        return label == LoopPlan::none ? 0 : k_.nest_.labels[label].strides[operand];
    }
    std::byte const** pointers(std::size_t level) { return pointers_ + level * operands_; }

    LoopKernel const& k_;
    std::size_t operands_;
    std::byte* scratch_;
    std::byte* output_;
    std::byte const** pointers_;
    std::byte const**
        gathered_from_;      // by operand that is gathered: where what is at hand came from, as long as that is there
    std::size_t* gathered_;  // elements of it
    Turned* turned_from_;    // by operand that is turned: of what is at hand, as long as that is there
    Extent* extents_;        // of each label inside the loops entered so far
    Values* tile_operands_;
    scalar::TileIndex* tile_indices_;
    Aggregator::Tile tile_;
    std::size_t not_found_ = 0;        // of the tile, an output that had found nothing when last asked
    std::span<std::byte const> next_;  // what is left of it
    std::size_t next_step_ = 0;        // bytes of it at each vector tile
    Extent first_ = 0, last_ = 0;      // of the level that is cut into pieces
    bool aggregates_;
};

}  // namespace ein::executor
