// EinGraph JSON to EinGraph: every fault of the file at once. Linear time and bounded stack for hundreds of thousands
// of nodes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// @param file  names the file in messages; data files are not opened
/// @throws InputError with every fault
EinGraph read_graph(std::string_view json, std::string const& file);

}  // namespace ein::graph
