// A contraction order as a binary tree that can be changed in place: leaves are operands, inner nodes results.
// Example: ((0, 1), (2, 3)) of three operands has leaves 0, 1, 2, node 3 over 0 and 1, and the root, 4, over 2 and 3.
#pragma once

#include <vector>

#include "lib/graph/contract/order/label_sets.hpp"

namespace ein::graph {

class OrderTree {
public:
    using Word = LabelSets::Word;

    /// @param path  of all operands of the network, two or more
    /// @param most_elements  results beyond are as dear as the slices that they would make of all
    OrderTree(Network const& network, LabelSets const& sets, SsaPath const& path, double most_elements = 1e300);

    SsaPath path() const;
    /// Operations and words, as path_cost counts them.
    double cost() const;

    std::size_t leaves() const { return leaves_; }
    std::size_t inner() const { return left_.size() - leaves_; }

    /// One of the ways to turn the tree at `node`: of a child q with children a and b and its sibling c, q takes c and
    /// a (or b), and `node` the one that is left.
    struct Turn {
        int node, q, stays, leaves, sibling;  // q keeps `stays` and takes `sibling`
    };
    /// @param choice  bits that say which turn  @return whether there is such a turn
    bool turn_at(int node, unsigned choice, Turn& turn) const;
    /// What both steps cost now and after the turn; after it is asked for, `take` may be called.
    double cost_now(Turn const& turn) const { return cost_[at(turn.node)] + cost_[at(turn.q)]; }
    double cost_after(Turn const& turn);
    void take(Turn const& turn);

private:
    static std::size_t at(int node) { return static_cast<std::size_t>(node); }
    Word* row(int node) { return rows_.data() + at(node) * words_; }
    Word const* row(int node) const { return rows_.data() + at(node) * words_; }
    bool is_leaf(int node) const { return at(node) < leaves_; }
    double step_cost(double log_points, bool aggregates, double read, double made) const;
    void set_step(int node);
    std::vector<int> post_order() const;

    LabelSets const& sets_;
    std::size_t words_, leaves_;
    double most_elements_;
    std::vector<int> left_, right_;  // of inner nodes; leaves have none
    std::vector<Word> rows_;         // labels of each node
    std::vector<double> size_;       // elements of each node
    std::vector<double> cost_;       // of the step of each inner node
    std::vector<Word> scratch_;      // labels of q after the turn that was asked for last
    double new_size_ = 0, new_cost_q_ = 0, new_cost_node_ = 0;
};

}  // namespace ein::graph
