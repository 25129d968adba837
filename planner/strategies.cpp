#include "planner/strategies.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "lib/base/error.hpp"
#include "planner/choices.hpp"

namespace ein::planner {
namespace {

/// Smaller is squarer: no partial results, at most two labels cut, those alike.
std::tuple<std::int64_t, std::int64_t, std::int64_t> squareness(graph::Node const& node, Parts const& parts) {
    std::int64_t partials = 1;
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op))
        for (int label : einsum->aggregated()) partials *= parts[static_cast<std::size_t>(label)];
    std::int64_t const cut = std::count_if(parts.begin(), parts.end(), [](std::int64_t part) { return part > 1; });
    std::int64_t const largest = parts.empty() ? 1 : *std::max_element(parts.begin(), parts.end());
    return {partials, std::max<std::int64_t>(0, cut - 2), largest};
}

}  // namespace

void check_strategy(std::string const& name) {
    if (name == "eindecomp" || name == "exact" || name == "sqrt") return;
    for (std::string_view const later : {"3d", "data", "megatron", "sequence", "attention", "summa", "25d"})
        if (name == later)
            throw UsageError("--decompose " + name + " is not available in this version; use eindecomp, exact or sqrt");
    throw UsageError("--decompose: expected eindecomp, exact or sqrt, found '" + name + "'");
}

std::vector<relation::NodePlan> cut_square_root(graph::EinGraph const& graph, std::int64_t calls) {
    std::vector<relation::NodePlan> plans;
    for (graph::Node const& node : graph.nodes) {
        std::vector<Parts> const list =
            preferred_candidates(graph, node, calls, default_limit(graph.nodes.size())).parts;
        auto const best = std::min_element(list.begin(), list.end(), [&](Parts const& a, Parts const& b) {
            return squareness(node, a) < squareness(node, b);
        });
        plans.push_back({.parts = *best, .candidates = static_cast<std::int64_t>(list.size())});
    }
    return plans;
}

}  // namespace ein::planner
