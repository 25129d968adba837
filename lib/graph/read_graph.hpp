// EinGraph JSON to EinGraph: every fault of the file at once. Linear time and bounded stack for hundreds of thousands
// of nodes. Opens no file: what headers of data files say it is told by a function.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lib/graph/ein_graph.hpp"
#include "lib/graph/read/headers.hpp"

namespace ein::graph {

/// @param file  names the file in messages
/// @throws InputError with every fault
EinGraph read_graph(std::string_view json, std::string const& file);

/// A graph, and its text with the shape and dtype of every tensor that leaves them to its file: it reads alike where
/// the files are not.
struct CompleteGraph {
    EinGraph graph;
    std::string text;
    std::vector<std::string> notes = {};  // of what is sound and hardly meant (suspicions.hpp)
};
/// The same where tensors may leave shape and dtype to their files.
CompleteGraph read_graph(std::string_view json, std::string const& file, HeaderReader const& headers);

}  // namespace ein::graph
