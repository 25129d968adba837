#include "lib/graph/contract/order/eliminate.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

#include "lib/graph/contract/order/draws.hpp"

namespace ein::graph {
namespace {

class Elimination {
public:
    Elimination(Network const& network, Eliminating const& how)
        : network_(network),
          how_(how),
          draws_(how.seed),
          walk_(network),
          holders_(network.extents.size()),
          version_(network.extents.size(), 0) {
        for (std::size_t k = 0; k < network.operands.size(); ++k) enter(static_cast<int>(k));
    }

    SsaPath run() {
        for (std::size_t label = 0; label < holders_.size(); ++label) push(static_cast<int>(label));
        while (!queue_.empty()) {
            auto const [score, label, version] = queue_.top();
            queue_.pop();
            if (version != version_[at(label)] || holders_[at(label)].size() < 2) continue;
            eliminate(label);
        }
        while (live_.size() > 1) contract(live_.begin()->second, std::next(live_.begin())->second);
        return std::move(path_);
    }

private:
    struct Entry {
        double score;
        int label;
        unsigned version;
        bool operator<(Entry const& other) const { return std::tie(score, label) > std::tie(other.score, other.label); }
    };

    double log_size(std::vector<int> const& labels) const {
        double sum = 0;
        for (int label : labels) sum += std::log2(network_.extents[at(label)]);
        return sum;
    }

    void enter(int number) {
        live_.emplace(walk_.size(number), number);
        for (int label : walk_.labels(number)) holders_[at(label)].insert(number);
    }
    void leave(int number) {
        live_.erase({walk_.size(number), number});
        for (int label : walk_.labels(number)) holders_[at(label)].erase(number);
    }

    int contract(int a, int b) {
        leave(a);
        leave(b);
        walk_.contract(a, b);
        path_.emplace_back(std::min(a, b), std::max(a, b));
        int const made = static_cast<int>(network_.operands.size() + path_.size() - 1);
        enter(made);
        return made;
    }

    /// The labels that all holders of a label have together.
    std::vector<int> around(int label) const {
        std::vector<int> all;
        for (int number : holders_[at(label)])
            all.insert(all.end(), walk_.labels(number).begin(), walk_.labels(number).end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    void push(int label) {
        ++version_[at(label)];
        if (holders_[at(label)].size() < 2 || network_.kept[at(label)]) return;
        double score = log_size(around(label));
        for (int number : holders_[at(label)]) score -= how_.replaced * log_size(walk_.labels(number));
        if (how_.noise > 0) score -= how_.noise * draws_.gumbel();
        queue_.push({score, label, version_[at(label)]});
    }

    void eliminate(int label) {
        std::set<std::pair<double, int>> bucket;  // the smallest two first
        for (int number : holders_[at(label)]) bucket.emplace(walk_.size(number), number);
        int made = -1;
        while (bucket.size() > 1) {
            int const a = bucket.begin()->second;
            bucket.erase(bucket.begin());
            int const b = bucket.begin()->second;
            bucket.erase(bucket.begin());
            made = contract(a, b);
            bucket.emplace(walk_.size(made), made);
        }
        std::vector<int> const changed = walk_.labels(made);
        for (int other : changed) push(other);
    }

    Network const& network_;
    Eliminating how_;
    Draws draws_;
    PathWalk walk_;
    std::vector<std::set<int>> holders_;  // by label: the live operands that have it
    std::vector<unsigned> version_;
    std::set<std::pair<double, int>> live_;  // by size
    std::priority_queue<Entry> queue_;
    SsaPath path_;
};

}  // namespace

SsaPath eliminating_path(Network const& network, Eliminating const& how) { return Elimination(network, how).run(); }

}  // namespace ein::graph
