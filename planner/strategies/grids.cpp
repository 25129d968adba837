#include "planner/strategies/grids.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "lib/graph/labels.hpp"
#include "planner/strategies/best_candidate.hpp"
#include "planner/strategies/square_root.hpp"

namespace ein::planner {
namespace {

using Key = std::vector<std::int64_t>;

/// The parts of a product's groups of labels.
struct Groups {
    std::int64_t left = 1, contracted = 1, right = 1;
    std::int64_t others = 1;
    bool product = false;  // two operands and something to contract

    Groups(graph::Node const& node, Parts const& parts) {
        auto const* einsum = std::get_if<graph::EinSum>(&node.op);
        if (!einsum || einsum->operands() != 2) return;
        for (std::size_t label = 0; label < parts.size(); ++label) {
            bool const first = graph::has_label(einsum->inputs[0], static_cast<int>(label)),
                       second = graph::has_label(einsum->inputs[1], static_cast<int>(label));
            bool const out = graph::has_label(einsum->output, static_cast<int>(label));
            product = product || (first && second && !out);
            std::int64_t& group = first && second && !out   ? contracted
                                  : first && out && !second ? left
                                  : second && out && !first ? right
                                                            : others;
            group *= parts[label];
        }
    }
};

Key evenness(std::vector<std::int64_t> groups) {
    std::sort(groups.begin(), groups.end(), std::greater<>());
    return groups;
}

Key key_of_square(graph::Node const& node, Parts const& parts) {
    auto const [partials, more, largest] = squareness(node, parts);
    return {partials, more, largest};
}

Key key_3d(graph::Node const& node, Parts const& parts) {
    Groups const groups(node, parts);
    Key key{groups.others};
    Key const even = groups.product ? evenness({groups.left, groups.contracted, groups.right}) : evenness(parts);
    if (!groups.product) key.front() = std::get<0>(squareness(node, parts));
    key.insert(key.end(), even.begin(), even.end());
    return key;
}

/// Contracted labels in as nearly `copies` parts as there are candidates.
Key key_of_copies(graph::Node const& node, Parts const& parts, std::int64_t copies) {
    Groups const groups(node, parts);
    if (!groups.product) return key_of_square(node, parts);
    return {std::abs(groups.contracted - copies), groups.others, std::max(groups.left, groups.right)};
}

/// The longer side of the squarest grid of so many blocks, and the shorter one.
std::pair<std::int64_t, std::int64_t> squarest(std::int64_t blocks) {
    std::int64_t shorter = 1;
    for (std::int64_t side = 1; side * side <= blocks; ++side)
        if (blocks % side == 0) shorter = side;
    return {blocks / shorter, shorter};
}

}  // namespace

std::int64_t copies_25d(std::int64_t calls) {
    std::int64_t best = 1;
    auto [longer, shorter] = squarest(calls);
    for (std::int64_t copies = 2; copies * copies * copies <= calls; ++copies) {
        if (calls % copies != 0) continue;
        auto const [l, s] = squarest(calls / copies);
        if (l * shorter > longer * s) continue;  // less square
        best = copies, longer = l, shorter = s;
    }
    return best;
}

std::vector<relation::NodePlan> cut_3d(graph::EinGraph const& graph, std::int64_t calls) {
    return best_candidates(graph, calls, key_3d);
}

std::vector<relation::NodePlan> cut_summa(graph::EinGraph const& graph, std::int64_t calls) {
    return best_candidates(graph, calls,
                           [](graph::Node const& node, Parts const& parts) { return key_of_copies(node, parts, 1); });
}

std::vector<relation::NodePlan> cut_25d(graph::EinGraph const& graph, std::int64_t calls) {
    std::int64_t const copies = copies_25d(calls);
    return best_candidates(graph, calls, [copies](graph::Node const& node, Parts const& parts) {
        return key_of_copies(node, parts, copies);
    });
}

}  // namespace ein::planner
