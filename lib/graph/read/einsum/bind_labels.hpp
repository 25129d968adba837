// Subscripts meet shapes: '...' becomes labels, every label gets its extent, and axes that broadcast are found. An axis
// of extent 1 under a label of another extent broadcasts, as in NumPy's einsum: the axis is listed as squeezed and its
// label is not in `inputs`. Example: "ij,j->ij" for shapes (4, 3) and (1,) gives extents (4, 3), inputs ((i, j), ()),
// squeezed ((), (0)).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/graph/read/einsum/subscripts.hpp"

namespace ein::graph {

struct BoundLabels {
    std::vector<std::string> labels;  // in order of first occurrence; those of '...' are "...0", "...1", ...
    Shape extents;
    std::vector<std::vector<int>> inputs;            // labels of the axes that stay
    std::vector<std::vector<std::size_t>> squeezed;  // axes of extent 1 to drop, for each input
    std::vector<int> output;
};

/// @param node  the node, for its "inputs" and "sizes"
/// @return nothing when it has a fault: wrong orders, extents that differ, an output label without an extent
std::optional<BoundLabels> bind_labels(Subscripts const& subscripts, std::span<Value const* const> inputs,
                                       Cursor const& node);

}  // namespace ein::graph
