// Any EinGraph as EinGraph JSON, whatever made it: read_graph, lower_contractions, rest_of. Read again it is the same
// graph: the same values under the same names where the format lets them, the same joins in the same types, the same
// loops, so results have the same bits. A move that is neither a slice nor a concat nor a pad becomes several nodes.
// Example: graph_text(read_graph(text, "g.json")) has "P:max" and "P:sum" where `text` has the softmax "P".
#pragma once

#include <functional>
#include <string>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Where a data file of the graph lies, as seen from the folder of the text.
using FileName = std::function<std::string(std::string const& file)>;

/// @param file_name  asked for each file that a leaf is read from; none: files are named as the graph names them
/// @throws InputError for a join that is too long or too deep to be written
std::string graph_text(EinGraph const& graph, FileName const& file_name = {});

}  // namespace ein::graph
