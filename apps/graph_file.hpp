// Graphs as the programs are given them: a file, or "-" for standard input.
#pragma once

#include <filesystem>
#include <string>

namespace ein::apps {

struct GraphFile {
    std::string text;
    std::string name;              // for messages
    std::filesystem::path folder;  // that relative paths of data files begin at
};

/// @throws InputError when it cannot be read
GraphFile read_graph_file(std::filesystem::path const& path);

}  // namespace ein::apps
