// The kernel calls of an EinSum: a call for each tuple of its join, placed; and those of one rank put together where
// the plan cuts finer than it was asked to.
// Example: "ij,jk->ik" in parts (2, 3, 1): six calls, three for each of two output blocks (their groups).
#pragma once

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

/// Calls in C order over output labels, then aggregated labels; each with its rank. Their operands' parts may be
/// merged, and the output's: see TrafficCounter::wants_merged_parts and Cut::merge.
std::vector<Call> placed_calls(LoweringContext& context, NodeId id, graph::EinSum const& einsum);

/// Calls and output parts where calls of each rank become one.
struct MergedCalls {
    std::vector<Call> calls;  // those of one output part after one another
    std::vector<Box> parts;   // of the output, by group
};
enum class Merging {
    of_one_sum,  // those of one interval of the aggregated labels
    all_of_rank  // whatever they sum
};
/// Nothing where some rank's calls are no box, or parts of the output overlap.
std::optional<MergedCalls> merged(graph::EinSum const& einsum, std::vector<Call> const& calls, Merging merging);

}  // namespace ein::scheduler
