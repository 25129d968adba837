#include "planner/strategies/square_root.hpp"

#include <algorithm>

#include "planner/strategies/best_candidate.hpp"

namespace ein::planner {

std::tuple<std::int64_t, std::int64_t, std::int64_t> squareness(graph::Node const& node, Parts const& parts) {
    std::int64_t partials = 1;
    if (auto const* einsum = std::get_if<graph::EinSum>(&node.op))
        for (int label : einsum->aggregated()) partials *= parts[static_cast<std::size_t>(label)];
    std::int64_t const cut = std::count_if(parts.begin(), parts.end(), [](std::int64_t part) { return part > 1; });
    std::int64_t const largest = parts.empty() ? 1 : *std::max_element(parts.begin(), parts.end());
    return {partials, std::max<std::int64_t>(0, cut - 2), largest};
}

std::vector<relation::NodePlan> cut_square_root(graph::EinGraph const& graph, std::int64_t calls) {
    return best_candidates(graph, calls, squareness);
}

}  // namespace ein::planner
