// One EinSum by plain loops, one element at a time: reals in double, complex in complex<double>, integers exactly and
// wrapped; rounded to the output's dtype once, at the end.
// Leaves which elements are wanted to demand.hpp.
#pragma once

#include <span>

#include "lib/graph/ein_graph.hpp"
#include "lib/relation/sampled.hpp"
#include "lib/scalar/evaluate/noise.hpp"

namespace ein::relation {

/// @param inputs  the elements that demand_for asks for; null where none are needed
/// @param sets    the elements of the output to compute
/// @param noise   rounding errors to add wherever a run rounds
/// @throws InputError for a param without value, or a position out of range; the node is named
Sampled einsum_sampled(graph::EinGraph const& graph, graph::Node const& node, std::span<Sampled const* const> inputs,
                       Sets sets, scalar::Params const& params, scalar::Noise* noise = nullptr);

}  // namespace ein::relation
