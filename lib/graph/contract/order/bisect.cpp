#include "lib/graph/contract/order/bisect.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/graph/contract/order/hypergraph.hpp"

namespace ein::graph {
namespace {

class Bisection {
public:
    Bisection(Network const& network, Bisecting const& how)
        : network_(network), how_(how), draws_(how.seed), total_(network.extents.size(), 0) {
        for (auto const& labels : network.operands)
            for (int label : labels) ++total_[at(label)];
    }

    SsaPath run() {
        std::vector<int> all(network_.operands.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
        order(all);
        return std::move(path_);
    }

private:
    /// Contracts the operands of a group. @return the number of the result
    int order(std::vector<int> const& group) {
        if (group.size() == 1) return group.front();
        if (group.size() <= how_.smallest) return order_small(group);
        auto [a, b] = parted(group);
        int const left = order(a);
        std::vector<int>().swap(a);
        int const right = order(b);
        return step(left, right);
    }

    int step(int a, int b) {
        path_.emplace_back(a, b);
        return static_cast<int>(network_.operands.size() + path_.size() - 1);
    }

    /// Labels of the group, how many of its operands have each.
    std::map<int, int> labels_of(std::vector<int> const& group) const {
        std::map<int, int> counts;
        for (int operand : group)
            for (int label : network_.operands[at(operand)]) ++counts[label];
        return counts;
    }

    int order_small(std::vector<int> const& group) {
        Network part;
        std::map<int, int> number;
        for (auto const& [label, count] : labels_of(group)) {
            number.emplace(label, static_cast<int>(number.size()));
            part.extents.push_back(network_.extents[at(label)]);
            part.kept.push_back(network_.kept[at(label)] || count < total_[at(label)]);
        }
        for (int operand : group) {
            part.operands.emplace_back();
            for (int label : network_.operands[at(operand)]) part.operands.back().push_back(number.at(label));
        }
        auto const best = group.size() > 2 ? optimal_path(part) : SsaPath{{0, 1}};
        std::vector<int> numbers = group;
        for (auto const& [a, b] : best ? *best : greedy_draw(part, {}))
            numbers.push_back(step(numbers[at(a)], numbers[at(b)]));
        return numbers.back();
    }

    std::pair<std::vector<int>, std::vector<int>> parted(std::vector<int> const& group) {
        Hypergraph graph;
        graph.vertex_weights.assign(group.size(), 1);
        std::map<int, std::vector<int>> holders;
        for (std::size_t k = 0; k < group.size(); ++k)
            for (int label : network_.operands[at(group[k])]) holders[label].push_back(static_cast<int>(k));
        for (auto& [label, vertices] : holders) {
            if (vertices.size() < 2) continue;
            graph.edges.push_back(std::move(vertices));
            graph.edge_weights.push_back(std::log2(network_.extents[at(label)]) + 1e-3);
        }
        graph.connect();
        std::vector<char> const side = bisect(graph, how_.imbalance, draws_);
        std::pair<std::vector<int>, std::vector<int>> out;
        for (std::size_t k = 0; k < group.size(); ++k) (side[k] == 0 ? out.first : out.second).push_back(group[k]);
        if (out.first.empty() || out.second.empty()) {  // nothing connects them
            out.first.assign(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2));
            out.second.assign(group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2), group.end());
        }
        return out;
    }

    Network const& network_;
    Bisecting how_;
    Draws draws_;
    std::vector<int> total_;  // operands of each label
    SsaPath path_;
};

}  // namespace

SsaPath bisected_path(Network const& network, Bisecting const& how) { return Bisection(network, how).run(); }

}  // namespace ein::graph
