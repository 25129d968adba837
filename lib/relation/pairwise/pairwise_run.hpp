// One EinSum contracted pairwise in the widest types, whatever its own: the interpreter's other way, for what plain
// loops over all labels would take too long for. Results on the way are never rounded to a narrower type.
#pragma once

#include <span>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/pairwise/pairwise_plan.hpp"
#include "lib/relation/sampled.hpp"
#include "lib/scalar/evaluate/noise.hpp"

namespace ein::relation {

/// As einsum_sampled, by a plan for the lengths that `sets` makes.
Sampled einsum_pairwise(graph::EinGraph const& graph, graph::Node const& node, PairwisePlan const& plan,
                        std::span<Sampled const* const> inputs, Sets sets, scalar::Params const& params,
                        scalar::Noise* noise = nullptr);

}  // namespace ein::relation
