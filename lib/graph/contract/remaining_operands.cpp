#include "lib/graph/contract/remaining_operands.hpp"

#include <algorithm>
#include <iterator>

#include "lib/base/ids.hpp"

namespace ein::graph {

RemainingOperands::RemainingOperands(Network const& network) : walk_(network), holders_(network.extents.size()) {
    for (std::size_t k = 0; k < network.operands.size(); ++k) enter(static_cast<int>(k));
}

bool RemainingOperands::contains(int number) const { return at(number) < is_left_.size() && is_left_[at(number)]; }

std::vector<int> RemainingOperands::numbers() const {
    std::vector<int> left;
    for (std::size_t number = 0; number < is_left_.size(); ++number)
        if (is_left_[number]) left.push_back(static_cast<int>(number));
    return left;
}

std::set<int> const& RemainingOperands::holders(int label) const { return holders_[at(label)]; }

std::pair<int, int> RemainingOperands::two_smallest() const {
    return std::minmax({by_size_.begin()->second, std::next(by_size_.begin())->second});
}

int RemainingOperands::contract(int a, int b) {
    leave(a);
    leave(b);
    walk_.contract(a, b);
    path_.emplace_back(a, b);
    int const made = static_cast<int>(is_left_.size());
    enter(made);
    return made;
}

void RemainingOperands::enter(int number) {
    is_left_.push_back(true);
    by_size_.emplace(size(number), number);
    for (int label : labels(number)) holders_[at(label)].insert(number);
}

void RemainingOperands::leave(int number) {
    is_left_[at(number)] = false;
    by_size_.erase({size(number), number});
    for (int label : labels(number)) holders_[at(label)].erase(number);
}

}  // namespace ein::graph
