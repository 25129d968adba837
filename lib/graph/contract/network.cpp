#include "lib/graph/contract/network.hpp"

#include <algorithm>

#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

std::vector<int> sorted_distinct(std::vector<int> labels) {
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
}

std::vector<int> united(std::vector<int> const& a, std::vector<int> const& b) {
    std::vector<int> both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

bool has(std::vector<int> const& sorted, int label) { return std::binary_search(sorted.begin(), sorted.end(), label); }

}  // namespace

double Network::size(std::vector<int> const& labels) const {
    double size = 1;
    for (int label : labels) size *= extents[at(label)];
    return std::min(size, 1e300);  // finite, so that differences and ratios of sizes can be compared
}

Network network_of(EinSum const& einsum) {
    Network network;
    for (Extent extent : einsum.extents) network.extents.push_back(static_cast<double>(std::max<Extent>(extent, 1)));
    network.kept.assign(einsum.labels.size(), false);
    for (int label : einsum.output) network.kept[at(label)] = true;
    std::vector<int> holders(einsum.labels.size(), 0);
    for (auto const& labels : einsum.inputs) {
        network.operands.push_back(sorted_distinct(labels));
        for (int label : network.operands.back()) ++holders[at(label)];
    }
    for (auto& labels : network.operands)
        std::erase_if(labels, [&](int label) { return holders[at(label)] == 1 && !network.kept[at(label)]; });
    return network;
}

PathWalk::PathWalk(Network const& network)
    : network_(network), labels_(network.operands), holders_(network.extents.size(), 0) {
    for (auto const& labels : labels_)
        for (int label : labels) ++holders_[at(label)];
}

std::vector<int> PathWalk::result_labels(int a, int b) const {
    std::vector<int> result = united(labels(a), labels(b));
    std::erase_if(result, [&](int label) {
        int const inside = (has(labels(a), label) ? 1 : 0) + (has(labels(b), label) ? 1 : 0);
        return !network_.kept[at(label)] && holders_[at(label)] == inside;
    });
    return result;
}

double PathWalk::contract(int a, int b) {
    std::vector<int> const all = united(labels(a), labels(b));
    std::vector<int> result = result_labels(a, b);
    double const cost = network_.size(all) * (result.size() < all.size() ? 2 : 1);
    for (int number : {a, b}) {
        for (int label : labels(number)) --holders_[at(label)];
        std::vector<int>().swap(labels_[at(number)]);
    }
    for (int label : result) ++holders_[at(label)];
    labels_.push_back(std::move(result));
    return cost;
}

double PathWalk::contract_with_words(int a, int b) {
    double const read = size(a) + size(b);
    double const operations = contract(a, b);
    return operations + tuning::word_cost * (read + network_.size(labels_.back()));
}

double path_operations(Network const& network, SsaPath const& path) {
    PathWalk walk(network);
    double operations = 0;
    for (auto const& [a, b] : path) operations += walk.contract(a, b);
    return operations;
}

double path_cost(Network const& network, SsaPath const& path) {
    PathWalk walk(network);
    double cost = 0;
    for (auto const& [a, b] : path) cost += walk.contract_with_words(a, b);
    return cost;
}

double largest_result(Network const& network, SsaPath const& path) {
    PathWalk walk(network);
    double most = 0;
    for (std::size_t k = 0; k < path.size(); ++k) {
        walk.contract(path[k].first, path[k].second);
        most = std::max(most, walk.size(static_cast<int>(network.operands.size() + k)));
    }
    return most;
}

SsaPath good_path(Network const& network) {
    if (network.operands.size() < 2) return {};
    if (network.operands.size() == 2) return {{0, 1}};
    auto optimal = optimal_path(network);
    return optimal ? std::move(*optimal) : greedy_path(network);
}

}  // namespace ein::graph
