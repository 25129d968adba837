// Who makes each output block of an EinSum: the calls of one block, their ranks, what each has of it, and whether it is
// made subblock by subblock.
// Example: Z's only block summed on ranks 0 and 1: one group, members {0, 1}; in subblocks where the calls are large
// enough to be split.
#pragma once

#include <vector>

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

/// What one rank has of one output block or of a subblock of it, in the type that the aggregation runs in.
struct Partial {
    Rank rank;
    BlockId block;
    Box box;
    TaskNumber last = no_task;  // that wrote it last
};

/// A part of a subblock of a group's result, which is summed, and sent, apart from the rest: it lies in one run there.
struct SumPart {
    Box box;
    std::size_t subblock = 0, keeper = 0;  // the number of the subblock, and of the member that keeps it
};

/// The calls of one output block.
struct CallGroup {
    std::vector<Rank> members;          // their ranks, in the order of their first calls
    std::vector<Cut::Block> subblocks;  // where results are made subblock by subblock; else none
    std::vector<Partial> partials;      // made so far
    std::vector<SumPart> parts;         // of the subblocks, in order: subblocks, where sums wait until all is made
    bool overlaps = false;              // they do not (overlapped_sums.hpp)
};

/// So many parts of each subblock along its first axis, so that they lie in one run; or fewer where it is short.
std::vector<SumPart> sum_parts(CallGroup const& group, std::int64_t each);

/// The calls of each rank, the k-th of every rank in wave k.
using Waves = std::vector<std::vector<std::size_t>>;
Waves waves_of(std::vector<Call> const& calls, int ranks);

/// A group for each output block. Blocks are made subblock by subblock where they are pipelined; and where several
/// ranks have partial results, every call's part of a subblock is work enough, and the subblocks are not exchanged in
/// steps (collectives.hpp).
std::vector<CallGroup> groups_of(LoweringContext const& context, graph::Node const& node, graph::EinSum const& einsum,
                                 std::vector<Call> const& calls, Waves const& waves, DType accumulated);

}  // namespace ein::scheduler
