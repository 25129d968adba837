// One launch of a narrow product: what is packed for all, tasks of rows and columns, and where the sums go. For
// narrow_kernel.cpp alone, which says who runs what.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "executor/device/cpu/narrow/narrow_blocks.hpp"
#include "executor/device/cpu/narrow/narrow_choice.hpp"
#include "executor/device/kernel/gemm_plan.hpp"

namespace ein::executor {

enum class Streams { none, columns, terms };

/// What all launches of a kernel have in common.
struct NarrowProblem {
    NarrowChoice choice;
    GemmPlan plan;
    NarrowSizes sizes;
    std::array<std::vector<PairLabel>, 2> wide;  // rows: steps in a and c; columns: in b and c
    std::vector<PairLabel> term_labels;          // steps in a and b
    TermBlocks terms;
    bool accumulate = false;
    /// Few rows: b is read where it lies, by columns or by terms that lie side by side (narrow_streams.hpp).
    Streams streams = Streams::none;
    std::array<Extent, 3> element_bytes{};
};

/// Rows and columns of one iteration of the batch labels, and one split of its terms.
struct NarrowTask {
    Extent call = 0, split = 0, row = 0, rows = 1, column = 0, columns = 1;
};

/// Panels of one operand that all tasks of a wave read: [call][block of terms][panel].
struct SharedPanels {
    std::uint32_t* words = nullptr;                   // null: each task packs its own
    Extent call = 0, calls = 1, first = 0, wide = 0;  // what of the operand
    Extent padded = 0;                                // rows or columns that there is room for
    std::atomic<bool> subnormal{false};

    Extent step(TermBlocks const& terms) const { return padded * terms.words; }  // from block to block
};

class NarrowLaunch {
public:
    NarrowLaunch(NarrowProblem const& problem, std::array<std::byte const*, 2> const& from, std::byte* to)
        : problem_(problem), from_(from), to_(to) {}

    /// Bytes of a task's own memory, for tasks of so many rows and columns.
    static std::size_t task_bytes(NarrowProblem const& problem, NarrowLoops const& loops, Extent rows, Extent columns);
    static std::size_t packing_bytes(NarrowProblem const& problem);

    /// Packs part of what is shared: `wide` rows or columns from `first` on of one block of terms.
    void pack_shared(SharedPanels& panels, std::size_t side, Extent call, Extent block, Extent first, Extent wide,
                     std::byte* memory) const;
    /// Sums of a task to `sums`, or to the output where that is null.
    void run(NarrowTask const& task, std::array<SharedPanels, 2> const& shared, std::byte* memory, std::uint32_t* sums,
             Extent sums_step, WorkerTeam& team) const;
    /// Adds up splits' sums, `split_step` words apart, and stores them.
    void store_splits(NarrowTask const& task, std::uint32_t* sums, Extent sums_step, Extent split_step,
                      std::byte* memory) const;

private:
    struct Memory;
    void multiply(NarrowTask const& task, NarrowLoops const& loops, std::array<SharedPanels const*, 2> const& shared,
                  Memory const& memory, std::uint32_t* sums, Extent sums_step, bool& subnormal, WorkerTeam& team) const;
    void stream(NarrowTask const& task, Memory const& memory, std::uint32_t* sums, Extent sums_step,
                WorkerTeam& team) const;
    void multiply_carefully(NarrowTask const& task, std::uint32_t* sums, Extent sums_step, WorkerTeam& team) const;
    std::vector<bool> subnormal_ones(NarrowTask const& task, std::size_t side) const;
    void store(NarrowTask const& task, std::uint32_t const* sums, Extent sums_step, std::byte* memory) const;
    std::byte const* operand(std::size_t side, Extent call) const;

    NarrowProblem const& problem_;
    std::array<std::byte const*, 2> from_;
    std::byte* to_;
};

}  // namespace ein::executor
