// How the interpreter contracts an EinSum two operands at a time: which order, which labels one index at a time so that
// nothing on the way is too large, and how long that takes. Says nothing of an EinSum that does not distribute.
// Example: one element of a chain of 60 matrices takes a row of the first through all others, however many labels there
// are.
#pragma once

#include <optional>
#include <vector>

#include "lib/graph/contract/chain.hpp"
#include "lib/graph/contract/ssa_path.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/relation/tuning.hpp"

namespace ein::relation {

struct PairwisePlan {
    graph::JoinChain chain;
    std::vector<std::vector<int>> operands;  // of each the labels that stay; what it has alone is aggregated when read
    graph::SsaPath path;
    std::vector<int> sliced;    // labels that are run through one index at a time
    bool another_order = true;  // than a run's: at least one result on the way is one that a run does not make
    double seconds = 0;         // predicted
};

/// The order that a run takes. @param given  the one that the graph file gives
graph::SsaPath order_of_run(graph::EinSum const& einsum, std::optional<graph::Path> const& given);

/// @param order_of_run   of the whole network, whatever part of it is wanted: the plan's is another if it can be
/// @param lengths        of labels, as far as they are wanted  @param most_elements  of one result on the way
/// @return nothing where the EinSum does not distribute, or where results on the way could round or wrap otherwise
std::optional<PairwisePlan> plan_pairwise(graph::EinSum const& einsum, graph::EinSumTypes const& types,
                                          graph::SsaPath const& order_of_run, Shape const& lengths,
                                          double most_elements = tuning::most_pairwise_elements);

}  // namespace ein::relation
