#include "lib/graph/contract/order/simplify.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "lib/base/ids.hpp"
#include "lib/graph/contract/remaining_operands.hpp"

namespace ein::graph {
namespace {

class Absorption {
public:
    explicit Absorption(Network const& network) : network_(network), left_(network) {}

    Simplified run() {
        std::deque<int> open;
        for (std::size_t k = 0; k < network_.operands.size(); ++k) open.push_back(static_cast<int>(k));
        while (!open.empty()) {
            int const number = open.front();
            open.pop_front();
            if (!left_.contains(number)) continue;
            int const host = host_of(number);
            if (host < 0) continue;
            std::vector<int> const lost = left_.labels(number);
            open.push_back(left_.contract(std::min(number, host), std::max(number, host)));
            for (int label : lost)  // who has few labels left may find a host now
                if (left_.holders(label).size() <= 2)
                    open.insert(open.end(), left_.holders(label).begin(), left_.holders(label).end());
        }
        return rest();
    }

private:
    /// The smallest operand that has all labels of this one; -1 when there is none.
    int host_of(int number) const {
        std::vector<int> const& labels = left_.labels(number);
        if (labels.empty()) return -1;
        int const rarest = *std::min_element(labels.begin(), labels.end(), [&](int a, int b) {
            return left_.holders(a).size() < left_.holders(b).size();
        });
        int host = -1;
        for (int other : left_.holders(rarest)) {
            auto const& theirs = left_.labels(other);
            if (other == number || theirs.size() < labels.size()) continue;
            if (!std::includes(theirs.begin(), theirs.end(), labels.begin(), labels.end())) continue;
            if (host < 0 || left_.size(other) < left_.size(host)) host = other;
        }
        return host;
    }

    Simplified rest() {
        Simplified out;
        out.rest.extents = network_.extents;
        out.rest.kept = network_.kept;
        for (int number : left_.numbers()) {
            out.numbers.push_back(number);
            out.rest.operands.push_back(left_.labels(number));
        }
        out.steps = left_.take_path();
        return out;
    }

    Network const& network_;
    RemainingOperands left_;
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
