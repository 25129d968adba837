// Which parts of values are cut again into subblocks, because several ranks share them: leaves that they load, partial
// results that they combine, and results that leave their rank subblock by subblock. Decides cuts; the rules themselves
// are in split_call.hpp and cut.hpp. Example: A's only part is wanted by four ranks: each loads a quarter of it, then
// they exchange (an all-gather).
#pragma once

#include "scheduler/lower/lowering_context.hpp"

namespace ein::scheduler {

/// Leaves that are read here for the first time: each part is loaded in subblocks by the ranks that want it.
void share_leaves(LoweringContext& context, graph::Node const& node, graph::EinSum const& einsum,
                  std::vector<Call> const& calls);

/// Parts of the output of which several ranks have partial results are cut into a subblock for each of those.
/// @param calls  those of one part after one another
/// @param first  of each part's calls, and at last the number of calls
void subdivide_partials(LoweringContext& context, ValueId output, std::vector<Call> const& calls,
                        std::vector<std::size_t> const& first);

/// Every part is made in the subblocks that its readers want.
void subdivide_for_pipelining(LoweringContext& context, ValueId output);

/// The ranks that load the subblocks of a part: as many each, and whole parts in turn.
std::vector<Rank> loaders_of(std::vector<Rank> const& sharers, std::size_t subblocks, std::size_t part);

}  // namespace ein::scheduler
