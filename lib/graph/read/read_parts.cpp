#include "lib/graph/read/read_parts.hpp"

#include <algorithm>

#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

std::optional<std::int64_t> read_part(Cursor const& at, Extent extent) {
    auto const part = at.integer();
    std::int64_t const most = std::max<Extent>(1, extent);
    if (!part || (*part >= 1 && *part <= most)) return part;
    at.fail("1 to " + std::to_string(most) + " parts (the extent is " + std::to_string(extent) + ")",
            std::to_string(*part), "choose a count in that range");
    return std::nullopt;
}

void read_node(Cursor const& at, EinGraph const& graph, Node& node) {
    if (!at.expect_object()) return;
    Shape const& extents = cut_extents(graph, node);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < extents.size(); ++k) names.push_back(cut_name(node, k));
    node.fixed.assign(extents.size(), 0);
    for (auto const& [name, unused] : at.value().items()) {
        auto const known = std::find(names.begin(), names.end(), name);
        if (known != names.end()) {
            auto const label = static_cast<std::size_t>(known - names.begin());
            node.fixed[label] = read_part(at.at(name), extents[label]).value_or(0);
        } else if (!name.starts_with("x-")) {
            at.at(name).fail(names.empty() ? "no label (the node has none)" : "one of its labels: " + one_of(names),
                             quote(name), did_you_mean(name, names, "remove it"));
        }
    }
}

}  // namespace

void read_parts(Cursor const& parts, EinGraph& graph,
                std::function<ConstrainedValue(std::string const&)> const& look_up) {
    if (!parts.expect_object()) return;
    auto const producers = graph.producers();
    for (auto const& [name, unused] : parts.value().items()) {
        if (name.starts_with("x-")) continue;
        Cursor const at = parts.at(name);
        ConstrainedValue of = look_up(name);
        if (!of.found.empty()) at.fail("the name of a node", of.found, of.mend);
        if (!of.value) continue;
        if (auto const node = producers[static_cast<std::size_t>(of.value->value())])
            read_node(at, graph, graph.nodes[static_cast<std::size_t>(node->value())]);
    }
}

}  // namespace ein::graph
