// Values that are made subblock by subblock because what is made of them leaves its rank subblock by subblock: partial
// results that ranks combine. The first subblocks are then on their way while the next are computed, and what lies
// between is there a subblock at a time. They go up from such a result through nodes that every rank computes from what
// it has itself, as long as smaller kernel calls pay. Example: Y = O WO, heads cut: Y's rows leave in four subblocks.
// So O = weights V, weights = softmax(scores) and scores = Q K are made in four subblocks of rows each, the tasks of
// one subblock after those of the one before (lazy_order.hpp); K and V, which have no such rows, whole.
#pragma once

#include <vector>

#include "scheduler/lower/einsum/split_call.hpp"
#include "scheduler/move/collectives.hpp"
#include "scheduler/move/value_parts.hpp"

namespace ein::scheduler {

struct PipelineRule {
    std::int64_t subblock_bytes;  // what several ranks share is not cut into less
    Staging staging;
    SplitRule split;
};

/// The subblocks that each part of a value is made in, by ValueId; empty: made whole.
/// @param parts  of every value, by ValueId
std::vector<Parts> pipelined_values(graph::EinGraph const& graph, relation::Plan const& plan,
                                    std::vector<ValueParts> const& parts, PipelineRule const& rule);

}  // namespace ein::scheduler
