// A graph in which one output is computed from the other outputs, as a run wrote them, instead of from the tensors
// alone: each output is then checked from those before it, and all of them together from the beginning. Example: of A
// -> H -> Z with outputs H and Z, Z of the new graph reads the file of H.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::relation {

struct FromOutputs {
    graph::EinGraph graph;               // in topological order; what `target` does not need is still there
    std::vector<std::string> read = {};  // outputs that `target` is computed from
};

/// Leaves that stand for outputs have no source: whoever reads the graph's leaves knows them by name.
/// @return nothing where `target` depends on no other output
std::optional<FromOutputs> from_written_outputs(graph::EinGraph const& graph, ValueId target);

}  // namespace ein::relation
