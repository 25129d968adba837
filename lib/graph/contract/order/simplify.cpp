#include "lib/graph/contract/order/simplify.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "lib/base/ids.hpp"

namespace ein::graph {
namespace {

class Absorption {
public:
    explicit Absorption(Network const& network) : network_(network), walk_(network), holders_(network.extents.size()) {
        for (std::size_t k = 0; k < network.operands.size(); ++k) enter(static_cast<int>(k));
    }

    Simplified run() {
        std::deque<int> open;
        for (std::size_t k = 0; k < network_.operands.size(); ++k) open.push_back(static_cast<int>(k));
        while (!open.empty()) {
            int const number = open.front();
            open.pop_front();
            if (live_.count(number) == 0) continue;
            int const host = host_of(number);
            if (host < 0) continue;
            std::vector<int> const lost = walk_.labels(number);
            open.push_back(contract(number, host));
            for (int label : lost)  // who has few labels left may find a host now
                if (holders_[at(label)].size() <= 2)
                    open.insert(open.end(), holders_[at(label)].begin(), holders_[at(label)].end());
        }
        return rest();
    }

private:
    void enter(int number) {
        live_.insert(number);
        for (int label : walk_.labels(number)) holders_[at(label)].insert(number);
    }
    void leave(int number) {
        live_.erase(number);
        for (int label : walk_.labels(number)) holders_[at(label)].erase(number);
    }

    /// The smallest operand that has all labels of this one; -1 when there is none.
    int host_of(int number) const {
        std::vector<int> const& labels = walk_.labels(number);
        if (labels.empty()) return -1;
        int const rarest = *std::min_element(labels.begin(), labels.end(), [&](int a, int b) {
            return holders_[at(a)].size() < holders_[at(b)].size();
        });
        int host = -1;
        for (int other : holders_[at(rarest)]) {
            auto const& theirs = walk_.labels(other);
            if (other == number || theirs.size() < labels.size()) continue;
            if (!std::includes(theirs.begin(), theirs.end(), labels.begin(), labels.end())) continue;
            if (host < 0 || walk_.size(other) < walk_.size(host)) host = other;
        }
        return host;
    }

    int contract(int a, int b) {
        leave(a);
        leave(b);
        walk_.contract(a, b);
        steps_.emplace_back(std::min(a, b), std::max(a, b));
        int const made = static_cast<int>(network_.operands.size() + steps_.size() - 1);
        enter(made);
        return made;
    }

    Simplified rest() {
        Simplified out;
        out.rest.extents = network_.extents;
        out.rest.kept = network_.kept;
        for (int number : live_) {
            out.numbers.push_back(number);
            out.rest.operands.push_back(walk_.labels(number));
        }
        out.steps = std::move(steps_);
        return out;
    }

    Network const& network_;
    PathWalk walk_;
    std::vector<std::set<int>> holders_;  // by label
    std::set<int> live_;
    SsaPath steps_;
};

}  // namespace

Simplified simplify(Network const& network) { return Absorption(network).run(); }

SsaPath whole_path(Simplified const& simplified, std::size_t operands, SsaPath const& rest) {
    SsaPath path = simplified.steps;
    std::vector<int> numbers = simplified.numbers;
    for (auto const& [a, b] : rest) {
        path.emplace_back(numbers[at(a)], numbers[at(b)]);
        numbers.push_back(static_cast<int>(operands + path.size() - 1));
    }
    return path;
}

}  // namespace ein::graph
