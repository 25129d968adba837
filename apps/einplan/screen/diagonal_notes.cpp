#include "apps/einplan/screen/diagonal_notes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/json.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/graph/rest/einsum_text.hpp"

namespace ein::apps {
namespace {

using graph::EinGraph;
using graph::EinSum;
using graph::Node;

constexpr double least_flops = 1e6;  // of a node that is worth a note

/// Two axes of an operand.
using Axes = std::pair<std::size_t, std::size_t>;

std::optional<Axes> diagonal_in(std::vector<int> const& labels) {
    for (std::size_t b = 1; b < labels.size(); ++b) {
        auto const a = std::find(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(b), labels[b]);
        auto const at = static_cast<std::size_t>(a - labels.begin());
        if (at < b) return Axes{at, b};
    }
    return std::nullopt;
}

/// The axes whose diagonal all readers of the value read and nothing else.
std::optional<Axes> diagonal_read(EinGraph const& graph, ValueId value, std::vector<NodeId> const& readers) {
    std::optional<Axes> all;
    for (NodeId const id : readers) {
        Node const& reader = graph.node(id);
        auto const* const einsum = std::get_if<EinSum>(&reader.op);
        if (einsum == nullptr) return std::nullopt;
        for (std::size_t k = 0; k < reader.inputs.size(); ++k) {
            if (reader.inputs[k] != value) continue;
            auto const here = diagonal_in(einsum->inputs[k]);
            if (!here || (all && *all != *here)) return std::nullopt;
            all = here;
        }
    }
    return all;
}

/// The EinSum of that diagonal: one label for both axes.
EinSum of_diagonal(EinSum einsum, Axes axes) {
    int const kept = einsum.output[axes.first], gone = einsum.output[axes.second];
    einsum.output.erase(einsum.output.begin() + static_cast<std::ptrdiff_t>(axes.second));
    einsum.labels.erase(einsum.labels.begin() + gone);
    einsum.extents.erase(einsum.extents.begin() + gone);
    auto const renumber = [&](std::vector<int>& labels) {
        for (int& label : labels) {
            if (label == gone) label = kept;
            if (label > gone) --label;
        }
    };
    for (std::vector<int>& labels : einsum.inputs) renumber(labels);
    renumber(einsum.output);
    return einsum;
}

}  // namespace

std::vector<std::string> diagonal_notes(EinGraph const& graph) {
    std::vector<std::string> out;
    auto const consumers = graph.consumers();
    for (Node const& node : graph.nodes) {
        auto const* const einsum = std::get_if<EinSum>(&node.op);
        bool const is_output = std::ranges::find(graph.outputs, node.output) != graph.outputs.end();
        if (einsum == nullptr || !einsum->aggregates_any() || is_output) continue;
        std::vector<NodeId> const& readers = consumers[static_cast<std::size_t>(node.output.value())];
        auto const axes = diagonal_read(graph, node.output, readers);
        double const all = graph::flops(*einsum, einsum->extents);
        if (!axes || all < least_flops) continue;
        EinSum const diagonal = of_diagonal(*einsum, *axes);
        out.push_back("of '" + graph.value(node.output).name + "' only the diagonal is read, by '" +
                      graph.node(readers.front()).name + "', and all of it is computed: " + format_count(all) +
                      " operations; " + graph::subscripts_json(diagonal).dump() +
                      " in its place makes the diagonal, in " + format_count(graph::flops(diagonal, diagonal.extents)));
    }
    return out;
}

}  // namespace ein::apps
