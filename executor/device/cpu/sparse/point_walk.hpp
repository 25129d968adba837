// The points that contribute, found as a plan says (sparse_plan.hpp), by one thread: their operands' values go into a
// batch, run by run. Leaves rows and what becomes of them to row_kernel.cpp.
// Example: of "ij,j->i" a row's walk adds a point for each element of the row.
#pragma once

#include "executor/device/cpu/sparse/merged_rows.hpp"
#include "executor/device/cpu/sparse/point_batch.hpp"
#include "executor/device/cpu/sparse/sparse_source.hpp"

namespace ein::executor {

/// What walks of a kernel share.
struct WalkShape {
    struct Stride {
        std::size_t label;
        Extent bytes;
    };
    struct Operand {
        bool sparse = false;
        std::vector<Stride> strides;  // of a dense one, by its labels but the inner one
        Extent inner = 0;             // elements from one index of the inner label to the next
        Extent inner_bytes = 0;
        alignas(16) std::byte fill[16] = {};  // of a sparse one, in its dtype

        Extent stride_of(std::size_t label) const {
            for (Stride const& stride : strides)
                if (stride.label == label) return stride.bytes;
            return 0;
        }
    };
    SparsePlan plan;
    Shape lengths;
    std::vector<Operand> operands;
    std::vector<std::size_t> used;    // that the join has
    std::vector<std::uint32_t> sets;  // of sources that are merged: which a point needs one of, as bits
    bool inner_in_output = false;
    Extent longest_run = 1;               // along the inner label, however the node is cut
    std::vector<std::size_t> key_labels;  // of the output but the row and the inner one, in its order
    bool sums_whole_operands = true;      // no cut of the output cuts what sparse operands list
    bool joins_runs = true;               // no cut of key labels may change which runs of the same accumulators meet

    WalkShape(KernelShape const& shape, SparsePlan plan);
};

/// The part of the label space that a piece of the work is about.
struct WalkRegion {
    std::vector<Extent> first, length;  // by label
    std::vector<Extent> key_strides;    // by WalkShape::key_labels
    std::uint64_t keys = 1;             // of one row
    std::size_t run = 1;                // accumulators of a key
};

/// How many keys in ascending order, of some rows, have outputs at even distances, and the bytes from one output to the
/// next. Example: of rows that lie one behind another all keys have.
struct EvenOutputs {
    std::uint64_t keys = 1;
    Extent step = 0;
};
/// @param strides  of the output, by label, in bytes
EvenOutputs even_outputs(WalkShape const& shape, WalkRegion const& region, Extent rows,
                         std::span<Extent const> strides);

class PointWalk {
public:
    PointWalk(WalkShape const& shape, std::span<SparseSource const> sources, KernelCall const& call,
              WalkRegion const& region, JoinOfPoints const& join, Slots& slots, WorkerTeam& team);
    /// @param row  index of the row label, where there is one  @param first_key  of the row
    void walk(Extent row, std::uint64_t first_key);
    /// Rows one after another, whose keys are those of the region each. Bits follow from each row alone.
    void walk_rows(Extent first, Extent last);
    /// Only elements with these numbers, in shares of 1, of what each term walks first.
    void walk_share(std::int64_t shares, std::int64_t share);
    /// Rows of merged sources, where no label is the row's.
    void walk_merged_rows(Extent first, Extent last);
    void flush() { batch_.flush(); }

private:
    using Term = SparsePlan::Term;
    bool shares_runs() const;
    void add_short_rows(SparseSource::Range range);
    void walk_merged(Extent row);
    void add_merged(std::size_t from, std::size_t count);
    void add_operands(std::size_t from, std::size_t count);
    void step(Term const& term, std::size_t level);
    void walk_elements(Term const& term, std::size_t level, SparseSource::Range range, std::size_t from_place);
    bool is_last(Term const& term, std::size_t level) const;
    void add_elements(Term const& term, std::size_t level, SparseSource::Range range, std::size_t from_place);
    void add_walked(SparseSource const& source, SparseSource::Range range, std::size_t from_place);
    void leaf(Term const& term);
    void count_through(Term const& term, std::size_t number);
    bool look_up(Term const& term, bool early);
    void add_run();
    std::uint64_t key() const;
    std::byte const* operand_at(std::size_t k) const;
    Extent key_stride(std::size_t label) const;
    template <class Strides>
    std::span<Extent const> merged_offsets(std::size_t from, std::size_t count, Strides const& stride_of);
    template <class Strides>
    std::span<Extent const> offsets_of(SparseSource const& source, SparseSource::Range range, std::size_t from_place,
                                       Strides const& stride_of);

    WalkShape const& shape_;
    std::span<SparseSource const> sources_;
    KernelCall const& call_;
    WalkRegion const& region_;
    Slots& slots_;
    WorkerTeam& team_;
    PointBatch batch_;
    std::size_t tile_;
    bool indexed_;
    std::vector<Extent> index_;            // by label
    std::vector<std::size_t> positions_;   // by operand: its element, or nowhere
    std::vector<std::size_t> element_of_;  // by operand: of which source that is
    std::vector<std::size_t> hints_;       // by source
    std::vector<scalar::TileIndex> indices_;
    std::vector<Extent> offsets_;  // of elements in a row: what one operand, or the key, has there
    std::vector<std::size_t> slots_of_, slots_of_short_;
    struct MergedPoints {
        std::vector<std::vector<Extent>> index;  // by place after the first
        std::vector<std::byte> values;           // of one operand
    };
    std::optional<MergedRows> merge_;
    MergedPoints points_;
    std::uint64_t first_key_ = 0;
    std::int64_t shares_ = 1, share_ = 0;
    int runs_ = 0;
};

}  // namespace ein::executor
