#include "lib/graph/contract/order/eliminate.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

#include "lib/graph/contract/order/draws.hpp"
#include "lib/graph/contract/remaining_operands.hpp"

namespace ein::graph {
namespace {

class Elimination {
public:
    Elimination(Network const& network, Eliminating const& how)
        : network_(network), how_(how), draws_(how.seed), left_(network), version_(network.extents.size(), 0) {}

    SsaPath run() {
        for (std::size_t label = 0; label < version_.size(); ++label) push(static_cast<int>(label));
        while (!queue_.empty()) {
            auto const [score, label, version] = queue_.top();
            queue_.pop();
            if (version != version_[at(label)] || left_.holders(label).size() < 2) continue;
            eliminate(label);
        }
        while (left_.count() > 1) {
            auto const [a, b] = left_.two_smallest();
            left_.contract(a, b);
        }
        return left_.take_path();
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

    /// The labels that all holders of a label have together.
    std::vector<int> around(int label) const {
        std::vector<int> all;
        for (int number : left_.holders(label))
            all.insert(all.end(), left_.labels(number).begin(), left_.labels(number).end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    void push(int label) {
        ++version_[at(label)];
        if (left_.holders(label).size() < 2 || network_.kept[at(label)]) return;
        double score = log_size(around(label));
        for (int number : left_.holders(label)) score -= how_.replaced * log_size(left_.labels(number));
        if (how_.noise > 0) score -= how_.noise * draws_.gumbel();
        queue_.push({score, label, version_[at(label)]});
    }

    void eliminate(int label) {
        std::set<std::pair<double, int>> bucket;  // the smallest two first
        for (int number : left_.holders(label)) bucket.emplace(left_.size(number), number);
        int made = -1;
        while (bucket.size() > 1) {
            int const a = bucket.begin()->second;
            bucket.erase(bucket.begin());
            int const b = bucket.begin()->second;
            bucket.erase(bucket.begin());
            made = left_.contract(std::min(a, b), std::max(a, b));
            bucket.emplace(left_.size(made), made);
        }
        std::vector<int> const changed = left_.labels(made);
        for (int other : changed) push(other);
    }

    Network const& network_;
    Eliminating how_;
    Draws draws_;
    RemainingOperands left_;
    std::vector<unsigned> version_;
    std::priority_queue<Entry> queue_;
};

}  // namespace

SsaPath eliminating_path(Network const& network, Eliminating const& how) { return Elimination(network, how).run(); }

}  // namespace ein::graph
