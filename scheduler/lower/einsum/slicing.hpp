// Which parts of values are cut again into slices, because several ranks share them: leaves that they load, partial
// results that they combine, and results that leave their rank slice by slice. Decides cuts; the rules themselves are
// in split_call.hpp and cut.hpp.
// Example: A's only part is wanted by four ranks: each loads a quarter of it, then they exchange (an all-gather).
#pragma once

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

/// Leaves that are read here for the first time: each part is loaded in slices by the ranks that want it.
void share_leaves(LoweringContext& context, graph::Node const& node, graph::EinSum const& einsum,
                  std::vector<Call> const& calls);

/// Parts of the output of which several ranks have partial results are cut into a slice for each of those.
/// @param calls  those of one part after one another, as many for each
void slice_partials(LoweringContext& context, ValueId output, std::vector<Call> const& calls,
                    std::size_t calls_of_a_part);

/// Every part is made in the slices that its readers want.
void slice_for_pipelining(LoweringContext& context, ValueId output);

/// The ranks that load the slices of a part: as many each, and whole parts in turn.
std::vector<Rank> loaders_of(std::vector<Rank> const& sharers, std::size_t slices, std::size_t part);

}  // namespace ein::scheduler
