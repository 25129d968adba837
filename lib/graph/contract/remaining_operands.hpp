// What is left of a network while an order is made pair by pair: which operands and results there still are, how large
// each is, and who has a label.
// Example: RemainingOperands left(network); while (left.count() > 1) { auto [a, b] = left.two_smallest();
// left.contract(a, b); } return left.take_path();
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "lib/graph/contract/network.hpp"

namespace ein::graph {

class RemainingOperands {
public:
    /// @param network  must outlive this
    explicit RemainingOperands(Network const& network);

    std::size_t count() const { return by_size_.size(); }
    bool contains(int number) const;
    /// In ascending order.
    std::vector<int> numbers() const;
    /// The operands and results that are left and have a label.
    std::set<int> const& holders(int label) const;
    /// Of any operand or result, also of one that is not left.
    std::vector<int> const& labels(int number) const { return walk_.labels(number); }
    double size(int number) const { return walk_.size(number); }  // elements
    std::vector<int> result_labels(int a, int b) const { return walk_.result_labels(a, b); }
    /// The smaller number first; at least two must be left.
    std::pair<int, int> two_smallest() const;

    /// Two that are left become their result. @return its number; the pair enters the path as it is given
    int contract(int a, int b);
    /// The pairs so far.
    SsaPath take_path() { return std::move(path_); }

private:
    void enter(int number);
    void leave(int number);

    PathWalk walk_;
    std::vector<std::set<int>> holders_;        // by label
    std::vector<bool> is_left_;                 // by number
    std::set<std::pair<double, int>> by_size_;  // those that are left
    SsaPath path_;
};

}  // namespace ein::graph
