// From the graph that a user wrote to the one that is planned and run: products of many operands in pairs, sparse
// tensors kept so or made dense.
#pragma once

#include "lib/graph/sparse/sampled.hpp"
#include "lib/graph/sparse/storage.hpp"

namespace ein::graph {

/// Results of which little is read are made as that, one-hot tensors by their readers, diagonals alone; and sparse
/// tensors are read once. Comes before lower_graph, and before it is counted what sparse values list: values may be
/// numbered anew.
EinGraph make_what_is_read(EinGraph graph);

/// The same for the same graph and storage: planner, run and checkpoint number its values alike. Node by node, so that
/// in which order operands are contracted depends on which of them are sparse.
/// @param keep, file  as of StorageChoice  @param sample_at  as of sample_at_listed; without it nothing is sampled
EinGraph lower_graph(EinGraph graph, ResultStorage const& keep = {}, std::string const& file = {},
                     SampleAt const& sample_at = {});

/// The same, for who looks at what loops carry: with these values, which iterations begin with, dense.
/// @return nothing where more of them have to be, and were added to `dense`: try again
std::optional<EinGraph> lower_graph_with(EinGraph graph, ResultStorage const& keep, std::string const& file,
                                         SampleAt const& sample_at, std::set<ValueId>& dense);

}  // namespace ein::graph
