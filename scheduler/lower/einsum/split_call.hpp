// A kernel call made in several, so that computing begins before all of its operands are there and the first results
// leave before the last ones are made. An operand that would be put together from blocks of several ranks is taken
// block by block instead: along a summed label the calls accumulate, along another they write parts of the block.
// Results that ranks combine are made subblock by subblock. Geometry and the rule when it pays; tasks are made in
// lower_einsum.cpp.
// Example: Z = A B on rank 0, which has the upper half of B: Z = A[:, :h] B[:h, :], and Z += A[:, h:] B[h:, :] when
// that half came.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/base/partition.hpp"
#include "lib/graph/einsum.hpp"
#include "scheduler/move/cut.hpp"
#include "scheduler/move/operand_source.hpp"
#include "scheduler/simulate/cluster.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

/// When a call is worth making in several, and how large blocks are that ranks share. A call costs a microsecond or
/// two, kernels of sums of products want tiles that are long on all sides, and what is not cut is read again by each:
/// that must take less time than the parts hide, or little beside the computing, since links are often slower than
/// what a cluster file says or leaves out.
struct SplitRule {
    double product_points = tuning::least_product_points;     // of the join in each call, at least: sums of products
    double other_points = tuning::least_other_points;         // of anything else
    Extent product_length = tuning::least_product_length;     // of each side that is cut, for sums of products
    std::int64_t calls = tuning::most_split_calls;            // in place of one, at most
    std::int64_t long_calls = tuning::most_long_split_calls;  // the same, where each has `long_call_points` or more
    double long_call_points = tuning::long_split_call_points;
    std::int64_t block_bytes = tuning::shared_block_bytes;    // larger subblocks are cut again, where lengths divide
    std::int64_t blocks = tuning::most_blocks_of_a_subblock;  // in place of one subblock, at most
    bool weighs_time = true;                                  // else parts that are large enough are made in any case
    double little = tuning::little_split_cost;                // of the time for computing
    double flops = 2.4e11;                                    // flop/s of sums of products, all threads of a rank
    double bytes = 3e10;                                      // bytes/s read or written again
    double link = 1e10;                                       // bytes/s that come to a rank, or leave it
};

/// What a call may be made of.
struct CallParts {
    std::vector<std::vector<OperandSource>> operands;  // one source: a block that covers the whole operand
    std::vector<Box> subblocks;                        // of the output, each to be a block of its own; or none
    std::vector<int> turns;                            // of each subblock: the lower is made first; 0: kept here, last
    bool may_accumulate = true;                        // the output's type is the one that the aggregation runs in
    double element_size = 8;                           // bytes, of operands and output, about
};

struct SubCall {
    Box region;                        // an interval for each label
    std::size_t subblock = 0;          // that it is of
    std::vector<std::size_t> sources;  // of each operand
    bool accumulate = false;           // an earlier one wrote there
};

struct SplitCall {
    std::vector<SubCall> list;    // one that is here, then what others wait for, what is here, and what comes
    std::vector<bool> by_source;  // operands that are not put together
};

/// The subblocks of a part that `sharers` ranks share: one for each, or for every second, third, ... where subblocks
/// would be smaller than `least_bytes`; a few for each where they would be large, along the last axis that is cut, so
/// that what one rank keeps stays the same and in one run of numbers (C order).
/// @param element_size  bytes  @param wanted  how the next reader cuts the value, or empty
Parts shared_subblocks(Cut const& cut, std::size_t part, std::size_t sharers, std::size_t element_size,
                       Parts const& wanted, std::int64_t least_bytes, SplitRule const& rule);

/// Whether results are to be made subblock by subblock: of every call of a group of partial results, or of none.
/// @param moved  bytes that leave the rank meanwhile  @param element_size  bytes, of operands and output, about
bool subblocks_pay(graph::EinSum const& einsum, Box const& region, std::vector<Box> const& subblocks, double moved,
                   double element_size, SplitRule const& rule);

/// Seconds for which a rank computes a call.
double seconds_of_call(graph::EinSum const& einsum, Box const& region, double element_size, SplitRule const& rule);

/// The rule for ranks of this cluster.
SplitRule suited_to(Cluster const& cluster, int ranks, SplitRule rule);

/// @param region  of the whole call  @return one subcall where more do not pay; the subblocks are kept to in any case
SplitCall split_call(graph::EinSum const& einsum, Box const& region, CallParts const& parts, Rank self, int ranks,
                     SplitRule const& rule);

}  // namespace ein::scheduler
