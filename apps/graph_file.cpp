#include "apps/graph_file.hpp"

#include <algorithm>
#include <string_view>

#include "apps/index_values.hpp"
#include "apps/tensor_suspicions.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/tensor/formats/raw_doubts.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::apps {

namespace {

/// Files whose names are no paths. Others may be there when the schedule runs.
std::vector<std::string> notes_of_files(graph::EinGraph const& graph) {
    std::vector<std::string> notes;
    for (graph::Leaf const& leaf : graph.leaves) {
        std::string const* const file = tensor::file_of(leaf.source);
        std::string const mend = file == nullptr ? "" : mend_no_path(*file);
        if (!mend.empty() && notes.empty())
            notes.push_back("tensor '" + graph.value(leaf.value).name + "' is read from '" + *file + "': " + mend);
    }
    return notes;
}

/// Of random tensors that are alike.
std::vector<std::string> notes_of(graph::EinGraph const& graph) {
    constexpr std::size_t most = 5;
    std::vector<std::string> notes;
    std::vector<graph::Leaf const*> random;
    for (graph::Leaf const& leaf : graph.leaves) {
        auto const* source = std::get_if<tensor::RandomSource>(&leaf.source);
        if (source == nullptr || element_count(graph.value(leaf.value).shape) < 2) continue;
        auto const same = std::ranges::find_if(random, [&](graph::Leaf const* other) {
            graph::Value const &a = graph.value(leaf.value), &b = graph.value(other->value);
            return leaf.source == other->source && a.shape == b.shape && a.dtype == b.dtype;
        });
        if (same == random.end()) {
            if (random.size() < 1000) random.push_back(&leaf);
            continue;
        }
        if (notes.size() == most) break;
        notes.push_back("'" + graph.value((*same)->value).name + "' and '" + graph.value(leaf.value).name +
                        "' have the same elements: one shape and seed " + std::to_string(source->seed) +
                        "; give one of them another \"seed\"");
    }
    return notes;
}

}  // namespace

GraphFile read_graph_file(std::filesystem::path const& path) {
    if (path == "-") return {read_text_file("/dev/stdin"), "standard input", std::filesystem::current_path()};
    refuse_other_kind(path, FileUse::graph, "a graph");
    return {read_text_file(path), path.string(), path.parent_path()};
}

std::string folder_seen_from(std::filesystem::path const& folder, std::filesystem::path const& schedule) {
    namespace fs = std::filesystem;
    fs::path const here = fs::absolute(schedule).lexically_normal().parent_path();
    fs::path const there = fs::absolute((folder.empty() ? "." : folder) / "").lexically_normal().parent_path();
    return there.lexically_relative(here).string();
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

/// Raw files have no header, but a length: that of the tensor. One that cannot be opened now is not looked at.
void check_raw_files(graph::EinGraph const& graph, GraphFile& file, std::vector<std::string> const& inputs) {
    constexpr std::size_t most_notes = 3;
    std::size_t notes = 0;
    std::vector<Fault> faults;
    for (graph::Leaf const& leaf : graph.leaves) {
        graph::Value const& value = graph.value(leaf.value);
        tensor::Source const source = source_of(value.name, leaf.source, inputs);
        auto const* const raw = std::get_if<tensor::RawSource>(&source);
        if (raw == nullptr) continue;
        try {
            tensor::open(source, value.name, value.dtype, value.shape, file.folder);
            if (notes == most_notes) continue;
            auto doubt = tensor::doubt_of_raw(*raw, value.name, value.dtype, value.shape, file.folder);
            if (doubt) file.notes.push_back(std::move(*doubt)), ++notes;
        } catch (tensor::UnopenedFile const&) {  // told when it is needed
        } catch (InputError const& error) {
            faults.insert(faults.end(), error.faults().begin(), error.faults().end());
        }
    }
    if (!faults.empty()) throw InputError(std::move(faults));
}

/// Indices out of range are told now where they can be read now.
void check_indices(graph::EinGraph const& graph, GraphFile& file, std::vector<std::string> const& inputs) {
    auto const read = [&](graph::Leaf const& leaf) -> std::optional<tensor::HostTensor> {
        graph::Value const& value = graph.value(leaf.value);
        tensor::Source const source = source_of(value.name, leaf.source, inputs);
        if (std::holds_alternative<tensor::MissingSource>(source)) return std::nullopt;
        try {
            return tensor::read_all(source, value.name, value.dtype, value.shape, file.folder);
        } catch (Error const&) {  // told when it is needed
            return std::nullopt;
        }
    };
    std::vector<Fault> faults = index_faults(graph, file.name, read, file.notes);
    if (!faults.empty()) throw InputError(std::move(faults));
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
    file.notes = std::move(read.notes);
    check_raw_files(read.graph, file, inputs);
    check_indices(read.graph, file, inputs);
    for (std::string& note : notes_of_files(read.graph)) file.notes.push_back(std::move(note));
    for (std::string& note : notes_of(read.graph)) file.notes.push_back(std::move(note));
    for (std::string& note : tensor_suspicions(read.graph, file.text)) file.notes.push_back(std::move(note));
    return std::move(read.graph);
}

}  // namespace ein::apps
