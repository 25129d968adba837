#include "executor/checkpoint/rest_graph.hpp"

#include <algorithm>
#include <map>

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/lower_graph.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/graph/rest/graph_text.hpp"
#include "lib/graph/rest/rest_of.hpp"
#include "lib/graph/summation_order.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

/// What is left is planned as what was: a result that was kept dense because of what it might have listed stays so when
/// more is known, else an output would be another file.
void keep_storage(graph::EinGraph& graph) {
    for (graph::Node& node : graph.nodes) {
        bool const might_be_sparse = std::any_of(node.inputs.begin(), node.inputs.end(),
                                                 [&](ValueId input) { return graph.value(input).listing.has_value(); });
        if (!might_be_sparse) continue;
        bool const is_sparse = graph.value(node.output).listing.has_value();
        node.storage = is_sparse ? graph::StorageWish::sparse : graph::StorageWish::dense;
    }
}

/// The graph as it was lowered, with the inputs and params of the run.
graph::EinGraph lowered_graph(schedule::Header const& header) {
    auto const storage = [&](graph::EinGraph const& graph, graph::Node const& node,
                             graph::IdleSets const&) -> std::optional<graph::Listing> {
        for (schedule::Tensor const& tensor : header.tensors)
            if (tensor.name == graph.value(node.output).name && tensor.fill) return graph::Listing{*tensor.fill};
        return std::nullopt;
    };
    auto const sample_at = [&](graph::EinGraph const& graph, graph::Leaf const& leaf) {
        return std::any_of(header.tensors.begin(), header.tensors.end(), [&](schedule::Tensor const& tensor) {
            return tensor.name == graph::places_name(graph, leaf);
        });
    };
    graph::EinGraph const read = graph::make_what_is_read(graph::read_graph(header.graph_text, header.graph_file));
    graph::EinGraph out = graph::lower_graph(graph::with_orders(read, header.orders), storage, {}, sample_at);
    if (header.reproducible) out = graph::keep_summation_order(std::move(out), header.graph_file);
    promise(out.values.size() == header.tensors.size(), "the schedule's graph has other values than the schedule");
    for (std::size_t v = 0; v < out.values.size(); ++v)
        promise(out.values[v].name == header.tensors.list()[v].name &&
                    out.values[v].shape == header.tensors.list()[v].shape,
                "the schedule's graph has other values than the schedule");
    for (graph::Leaf& leaf : out.leaves)
        for (schedule::Input const& input : header.inputs)
            if (input.tensor.value() == leaf.value.value()) leaf.source = input.source;
    out.params = header.params;
    keep_storage(out);
    return out;
}

/// Before the names of the checkpoint's own files: no data file is called so.
std::string const beside = "\x01/";

tensor::Source source_of(SavedValue const& value) {
    if (value.is_sparse()) return tensor::ScipySource{beside + value.file};
    return tensor::NpySource{beside + value.file};
}

std::int32_t loop_number(graph::EinGraph const& graph, std::string const& name) {
    for (std::size_t l = 0; l < graph.loops.size(); ++l)
        if (graph.loops[l].name == name) return static_cast<std::int32_t>(l);
    return -1;
}

graph::Progress progress_at(schedule::Header const& header, graph::EinGraph const& graph,
                            schedule::Point const& point) {
    schedule::MomentSpec const& moment = header.moments[point.moment];
    return {header.node_order, static_cast<std::size_t>(moment.nodes),
            moment.loop ? loop_number(graph, header.loops[*moment.loop].name) : -1, point.iterations};
}

}  // namespace

std::string rest_graph(schedule::Header const& header, fs::path const& data_folder,
                       std::optional<schedule::Point> const& point, std::vector<SavedValue> const& values,
                       fs::path const& folder) {
    graph::EinGraph const graph = lowered_graph(header);
    graph::Progress const at = point ? progress_at(header, graph, *point) : graph::Progress{.order = header.node_order};
    std::map<std::string, ValueId> by_name;
    for (std::size_t v = 0; v < graph.values.size(); ++v)
        by_name.emplace(graph.values[v].name, ValueId{static_cast<std::int32_t>(v)});
    std::vector<graph::Saved> saved;
    for (SavedValue const& value : values) saved.push_back({by_name.at(value.name), source_of(value)});
    fs::path const base = fs::absolute(folder).lexically_normal();
    return graph::graph_text(graph::rest_of(graph, at, saved), [&](std::string const& file) {
        if (file.starts_with(beside)) return file.substr(beside.size());
        fs::path const path = fs::absolute(data_folder / file).lexically_normal();
        fs::path const relative = path.lexically_relative(base);
        return relative.empty() ? path.string() : relative.string();
    });
}

bool is_rest_of(schedule::Header const& header, fs::path const& checkpoint) {
    try {
        return read_text_file(checkpoint / "rest.json") == header.graph_text;
    } catch (Error const&) {
        return false;
    }
}

}  // namespace ein::executor
