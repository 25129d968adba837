#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "lib/graph/contract/network.hpp"
#include "lib/graph/contract/order/draws.hpp"
#include "lib/graph/contract/remaining_operands.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

class Greedy {
public:
    Greedy(Network const& network, GreedyRule const& rule)
        : network_(network), rule_(rule), draws_(rule.seed), left_(network) {}

    SsaPath run() {
        merge_equal();
        for (int number : left_.numbers()) add_pairs(number);
        while (left_.count() > 1) {
            auto const pair = best_pair();
            add_pairs(left_.contract(pair.first, pair.second));
        }
        return left_.take_path();
    }

private:
    struct Candidate {
        double score;
        int a, b;
        bool operator>(Candidate const& other) const {
            return std::tie(score, a, b) > std::tie(other.score, other.a, other.b);
        }
    };

    /// Operands with the same labels: their elementwise product is never larger than either.
    void merge_equal() {
        std::map<std::vector<int>, int> first;
        for (int number : left_.numbers()) {
            std::vector<int> const labels = left_.labels(number);
            auto const [at, fresh] = first.try_emplace(labels, number);
            if (fresh) continue;
            int const made = left_.contract(at->second, number);
            bool const unchanged = left_.labels(made) == labels;
            if (unchanged)
                at->second = made;
            else
                first.erase(at);  // a label was theirs alone: the result has other labels
        }
    }

    void add_pairs(int number) {
        std::set<int> neighbours;
        for (int label : left_.labels(number)) {
            auto const& holders = left_.holders(label);
            std::size_t count = 0;
            // The latest are the results so far, which the others must meet sooner or later.
            for (auto other = holders.rbegin(); other != holders.rend() && count < tuning::most_neighbours;
                 ++other, ++count)
                if (*other != number) neighbours.insert(*other);
        }
        for (int other : neighbours)
            candidates_.push({score(number, other), std::min(number, other), std::max(number, other)});
    }

    double score(int a, int b) {
        double const result = network_.size(left_.result_labels(a, b));
        double const replaced = left_.size(a) + left_.size(b);
        double const score = rule_.logarithmic ? std::log2(result) - rule_.weight * std::log2(replaced)
                                               : result - rule_.weight * replaced;
        return rule_.noise > 0 ? score - rule_.noise * draws_.gumbel() : score;
    }

    /// The best pair that shares a label; the two smallest operands when none does (an outer product).
    std::pair<int, int> best_pair() {
        while (!candidates_.empty()) {
            Candidate const best = candidates_.top();
            candidates_.pop();
            if (left_.contains(best.a) && left_.contains(best.b)) return {best.a, best.b};
        }
        return left_.two_smallest();
    }

    Network const& network_;
    GreedyRule rule_;
    Draws draws_;
    RemainingOperands left_;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
};

std::vector<GreedyRule> rules_for(std::size_t operands) {
    std::vector<GreedyRule> rules{{false, 1, 0, 0}};
    if (operands > 5000) return rules;
    rules.push_back({false, 0.5, 0, 0});
    rules.push_back({false, 0, 0, 0});
    rules.push_back({true, 1, 0, 0});
    rules.push_back({true, 0.5, 0, 0});
    std::size_t const draws = operands <= 60 ? 48 : operands <= 400 ? 16 : 0;
    for (std::size_t k = 0; k < draws; ++k)
        rules.push_back({true, 0.3 + 0.1 * static_cast<double>(k % 9), 0.1 + 0.1 * static_cast<double>(k % 5), k + 1});
    return rules;
}

}  // namespace

SsaPath greedy_draw(Network const& network, GreedyRule const& rule) { return Greedy(network, rule).run(); }

std::vector<SsaPath> greedy_paths(Network const& network) {
    std::vector<SsaPath> paths;
    for (GreedyRule const& rule : rules_for(network.operands.size())) paths.push_back(greedy_draw(network, rule));
    return paths;
}

SsaPath greedy_path(Network const& network) {
    std::vector<SsaPath> paths = greedy_paths(network);
    auto const cost = [&](SsaPath const& path) { return path_cost(network, path); };
    std::size_t best = 0;
    double best_cost = cost(paths[0]);
    for (std::size_t k = 1; k < paths.size(); ++k) {
        double const next = cost(paths[k]);
        if (next < best_cost) best = k, best_cost = next;
    }
    return improve_path(network, std::move(paths[best]));
}

}  // namespace ein::graph
