// "mesh" and "sharding" of a graph file: the grid of ranks, and on which of its axes each tensor lies.
// Example: {"mesh": {"dp": 2, "tp": 4}, "sharding": {"W": "d ff/tp", "X": "batch/dp seq d"}}.
#pragma once

#include <optional>

#include "lib/base/json.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// In file order; faults are reported.
Mesh read_mesh(Cursor const& at);

struct LabelledSharding {
    std::vector<std::string> labels;  // as the file calls the axes
    Sharding axes;
};
/// Reads one entry of "sharding". @param labels  of the axes where they are known; empty: any words name them
std::optional<LabelledSharding> read_sharding(Cursor const& entry, Mesh const& mesh, Value const& value,
                                              std::vector<std::string> const& labels);

/// Reports where "parts" and "sharding" of one node want an axis of its output in different numbers of parts. @return
/// whether they agree
bool check_agreement(Cursor const& entry, Mesh const& mesh, Sharding const& sharding, Node const& node,
                     std::string const& name);

}  // namespace ein::graph
