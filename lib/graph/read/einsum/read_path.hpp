// The "path" of an n-ary EinSum node: opt_einsum's linear format. Groups of three or more are contracted in order,
// groups of one change nothing. Example: [[0, 1], [0, 1]] of three operands contracts the first two, then the third
// with their result.
#pragma once

#include <optional>

#include "lib/base/json.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// The "slices" of one: names of labels, each once.
std::vector<std::string> read_slices(Cursor const& slices);

std::optional<Path> read_path(Cursor const& path, std::size_t operands);

}  // namespace ein::graph
