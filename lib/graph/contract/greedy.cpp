#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "lib/graph/contract/network.hpp"
#include "lib/graph/contract/order/draws.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

class Greedy {
public:
    Greedy(Network const& network, GreedyRule const& rule)
        : network_(network), rule_(rule), draws_(rule.seed), walk_(network), holders_(network.extents.size()) {
        for (std::size_t k = 0; k < network.operands.size(); ++k) enter(static_cast<int>(k));
    }

    SsaPath run() {
        merge_equal();
        for (int number = 0; number < next_; ++number)
            if (is_live(number)) add_pairs(number);
        while (live_.size() > 1) {
            auto const pair = best_pair();
            contract(pair.first, pair.second);
            add_pairs(next_ - 1);
        }
        return std::move(path_);
    }

private:
    struct Candidate {
        double score;
        int a, b;
        bool operator>(Candidate const& other) const {
            return std::tie(score, a, b) > std::tie(other.score, other.a, other.b);
        }
    };

    bool is_live(int number) const {
        return static_cast<std::size_t>(number) < is_live_.size() && is_live_[static_cast<std::size_t>(number)];
    }

    void enter(int number) {
        is_live_.push_back(true);
        live_.emplace(walk_.size(number), number);
        for (int label : walk_.labels(number)) holders_[static_cast<std::size_t>(label)].insert(number);
        next_ = number + 1;
    }

    void leave(int number) {
        is_live_[static_cast<std::size_t>(number)] = false;
        live_.erase({walk_.size(number), number});
        for (int label : walk_.labels(number)) holders_[static_cast<std::size_t>(label)].erase(number);
    }

    void contract(int a, int b) {
        leave(a);
        leave(b);
        walk_.contract(a, b);
        path_.emplace_back(a, b);
        enter(next_);
    }

    /// Operands with the same labels: their elementwise product is never larger than either.
    void merge_equal() {
        std::map<std::vector<int>, int> first;
        int const operands = next_;
        for (int number = 0; number < operands; ++number) {
            std::vector<int> const labels = walk_.labels(number);
            auto const [at, fresh] = first.try_emplace(labels, number);
            if (fresh) continue;
            contract(at->second, number);
            bool const unchanged = walk_.labels(next_ - 1) == labels;
            if (unchanged)
                at->second = next_ - 1;
            else
                first.erase(at);  // a label was theirs alone: the result has other labels
        }
    }

    void add_pairs(int number) {
        std::set<int> neighbours;
        for (int label : walk_.labels(number)) {
            auto const& holders = holders_[static_cast<std::size_t>(label)];
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
        double const result = network_.size(walk_.result_labels(a, b));
        double const replaced = walk_.size(a) + walk_.size(b);
        double const score = rule_.logarithmic ? std::log2(result) - rule_.weight * std::log2(replaced)
                                               : result - rule_.weight * replaced;
        return rule_.noise > 0 ? score - rule_.noise * draws_.gumbel() : score;
    }

    /// The best pair that shares a label; the two smallest operands when none does (an outer product).
    std::pair<int, int> best_pair() {
        while (!candidates_.empty()) {
            Candidate const best = candidates_.top();
            candidates_.pop();
            if (is_live(best.a) && is_live(best.b)) return {best.a, best.b};
        }
        int const smallest = live_.begin()->second;
        return std::minmax(smallest, std::next(live_.begin())->second);
    }

    Network const& network_;
    GreedyRule rule_;
    Draws draws_;
    PathWalk walk_;
    std::vector<std::set<int>> holders_;  // by label: the live operands that have it
    std::vector<bool> is_live_;
    std::set<std::pair<double, int>> live_;  // by size
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
    SsaPath path_;
    int next_ = 0;
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
