#include "apps/graph_file.hpp"

#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps {

GraphFile read_graph_file(std::filesystem::path const& path) {
    if (path == "-") return {read_text_file("/dev/stdin"), "standard input", std::filesystem::current_path()};
    return {read_text_file(path), path.string(), path.parent_path()};
}

namespace {

/// The file that is given for a tensor, or that the graph names.
tensor::Source source_of(std::string const& tensor, tensor::Source const& source,
                         std::vector<std::string> const& inputs) {
    for (std::string const& text : inputs)
        if (text.starts_with(tensor + "="))
            return tensor::source_for_file(std::filesystem::absolute(text.substr(tensor.size() + 1)).string(), tensor);
    return source;
}

}  // namespace

graph::EinGraph read_graph(GraphFile& file, std::vector<std::string> const& inputs) {
    auto const headers = [&](std::string const& tensor, tensor::Source const& named) -> std::optional<graph::Header> {
        tensor::Source const source = source_of(tensor, named, inputs);
        auto contents = tensor::contents_of(source, tensor, file.folder);
        return contents ? std::optional(graph::Header{std::move(*contents), source}) : std::nullopt;
    };
    graph::CompleteGraph read = graph::read_graph(file.text, file.name, headers);
    file.text = std::move(read.text);
    return std::move(read.graph);
}

}  // namespace ein::apps
