#include <algorithm>
#include <unordered_set>

#include "lib/base/hash.hpp"
#include "lib/graph/contract/network.hpp"

namespace ein::graph {
namespace {

/// A path that is so much dearer than the cheapest is not worth being another.
constexpr double dearer_allowed = 4;

/// So many of the cheapest draws are improved: that takes longer than drawing.
constexpr std::size_t most_improved = 6;

/// The sets of operands that a path's results on the way stand for, as sums of a hash of each operand. A set and what
/// it leaves out part the network alike: the smaller sum stands for both.
std::unordered_set<std::uint64_t> results_of(SsaPath const& path, std::size_t operands) {
    std::vector<std::uint64_t> sums;
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < operands; ++k) all += sums.emplace_back(mix64(k + 1));
    std::unordered_set<std::uint64_t> out;
    for (auto const& [a, b] : path) {
        std::uint64_t const sum = sums.emplace_back(sums[at(a)] + sums[at(b)]);
        if (sum != all) out.insert(std::min(sum, all - sum));
    }
    return out;
}

std::size_t shared(std::unordered_set<std::uint64_t> const& one, std::unordered_set<std::uint64_t> const& other) {
    return static_cast<std::size_t>(
        std::count_if(one.begin(), one.end(), [&](std::uint64_t sum) { return other.count(sum) > 0; }));
}

std::vector<SsaPath> candidates(Network const& network) {
    std::vector<SsaPath> paths = greedy_paths(network);
    std::stable_sort(paths.begin(), paths.end(),
                     [&](SsaPath const& a, SsaPath const& b) { return path_cost(network, a) < path_cost(network, b); });
    for (std::size_t k = 0, improved = std::min(paths.size(), most_improved); k < improved; ++k)
        paths.push_back(improve_path(network, paths[k]));
    if (auto optimal = network.operands.size() > 2 ? optimal_path(network) : std::nullopt)
        paths.push_back(std::move(*optimal));
    return paths;
}

}  // namespace

OtherPath other_path(Network const& network, SsaPath const& known) {
    std::size_t const operands = network.operands.size();
    auto const taken = results_of(known, operands);
    std::vector<SsaPath> const paths = candidates(network);
    std::vector<double> costs;
    for (SsaPath const& path : paths) costs.push_back(path_cost(network, path));
    double const most = dearer_allowed * *std::min_element(costs.begin(), costs.end());

    std::size_t best = paths.size(), best_shared = 0;
    for (std::size_t k = 0; k < paths.size(); ++k) {
        if (costs[k] > most) continue;
        std::size_t const both = shared(results_of(paths[k], operands), taken);
        bool const better =
            best == paths.size() || both < best_shared || (both == best_shared && costs[k] < costs[best]);
        if (better) best = k, best_shared = both;
    }
    return {paths[best], best_shared};
}

}  // namespace ein::graph
