// Graphs as the programs are given them: a file, or "-" for standard input.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::apps {

struct GraphFile {
    std::string text;
    std::string name;                     // for messages
    std::filesystem::path folder;         // that relative paths of data files begin at
    std::vector<std::string> notes = {};  // of read_graph: what is sound and hardly meant
};

/// The folder of a graph as a schedule file names it: as seen from its own. @param folder  empty: this one
std::string folder_seen_from(std::filesystem::path const& folder, std::filesystem::path const& schedule);

/// @throws InputError when it cannot be read
GraphFile read_graph_file(std::filesystem::path const& path);

/// The graph in it. Tensors may leave shape and dtype to their files: `file.text` then has them.
/// @param inputs  NAME=FILE: in place of what the graph names for a tensor
/// @throws InputError with every fault
graph::EinGraph read_graph(GraphFile& file, std::vector<std::string> const& inputs = {});

}  // namespace ein::apps
