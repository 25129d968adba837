// Indices that a graph looks up with are checked where their values are known before a run: written in the graph, or in
// a file that is no large one. What a run makes is checked while it runs.
// Example: tokens [0, 9] for an embedding of 6 rows: "/tensors/tok: expected indices from -6 to 5, since node 'rows'
// looks them up in 6 elements, found 9 at [1]; ...".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::apps {

/// Reads the elements of a leaf; nothing for one that cannot be read now.
using ReadLeaf = std::function<std::optional<tensor::HostTensor>(graph::Leaf const& leaf)>;

/// @param notes  gets one of tensors with negative indices, which count from the end
/// @return a fault for each tensor with an index that is out of range
std::vector<Fault> index_faults(graph::EinGraph const& graph, std::string const& file, ReadLeaf const& read,
                                std::vector<std::string>& notes);

}  // namespace ein::apps
