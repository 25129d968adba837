#include "apps/graph_file.hpp"

#include "lib/base/json.hpp"

namespace ein::apps {

GraphFile read_graph_file(std::filesystem::path const& path) {
    if (path == "-") return {read_text_file("/dev/stdin"), "standard input", std::filesystem::current_path()};
    return {read_text_file(path), path.string(), path.parent_path()};
}

}  // namespace ein::apps
