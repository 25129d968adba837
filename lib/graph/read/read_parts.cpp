#include "lib/graph/read/read_parts.hpp"

#include <algorithm>

#include "lib/base/text/near_names.hpp"
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

}  // namespace

void read_parts(Cursor const& entry, GraphBuilder& graph, ValueId of) {
    ValueId const value = graph.cut_of(of);
    Node const* const node = graph.producer(value);
    if (!node || !entry.expect_object(R"({"i": 2}, the parts of each label)")) return;
    Shape const extents = cut_extents(graph.graph(), *node);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < extents.size(); ++k) names.push_back(cut_name(*node, k));
    std::string const otherwise = names.empty()                       ? "remove it"
                                  : names.front().starts_with("axis") ? "write axis0 for the op's first axis, and so on"
                                                                      : "write one of these";
    Parts fixed(extents.size(), 0);
    for (auto const& [name, unused] : entry.value().items()) {
        auto const known = std::find(names.begin(), names.end(), name);
        if (known != names.end()) {
            auto const label = static_cast<std::size_t>(known - names.begin());
            fixed[label] = read_part(entry.at(name), extents[label]).value_or(0);
        } else if (!name.starts_with("x-")) {
            entry.at(name).fail(names.empty() ? "no label (the node has none)" : "one of its labels: " + one_of(names),
                                quote(name), mend_name(name, names, otherwise));
        }
    }
    graph.fix_parts(value, std::move(fixed));
}

}  // namespace ein::graph
