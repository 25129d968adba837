#include "lib/graph/contract/order/order_tree.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

/// 2^x, finite also for orders that nobody would run.
double power_of_two(double x) { return std::exp2(std::min(x, 900.0)); }

}  // namespace

OrderTree::OrderTree(Network const& network, LabelSets const& sets, SsaPath const& path, double most_elements)
    : sets_(sets), words_(sets.words()), leaves_(network.operands.size()), most_elements_(most_elements) {
    std::size_t const nodes = leaves_ + path.size();
    left_.assign(nodes, -1);
    right_.assign(nodes, -1);
    rows_.assign(nodes * words_, 0);
    size_.assign(nodes, 1);
    cost_.assign(nodes, 0);
    scratch_.assign(words_, 0);
    PathWalk walk(network);
    for (std::size_t k = 0; k < nodes; ++k) {
        int const node = static_cast<int>(k);
        if (!is_leaf(node)) {
            std::tie(left_[k], right_[k]) = path[k - leaves_];
            walk.contract(left_[k], right_[k]);
        }
        for (int label : walk.labels(node)) sets_.insert(row(node), label);
        size_[k] = power_of_two(sets_.log_size(row(node)));
        if (!is_leaf(node)) set_step(node);
        if (k + 1 == nodes) break;
    }
}

double OrderTree::step_cost(double log_points, bool aggregates, double read, double made) const {
    double const cost = power_of_two(log_points) * (aggregates ? 2 : 1) + tuning::word_cost * (read + made);
    return made > most_elements_ ? cost * (made / most_elements_) : cost;
}

void OrderTree::set_step(int node) {
    Word const *a = row(left_[at(node)]), *b = row(right_[at(node)]), *out = row(node);
    bool aggregates = false;
    for (std::size_t w = 0; w < words_; ++w) aggregates = aggregates || (a[w] | b[w]) != out[w];
    cost_[at(node)] = step_cost(sets_.log_size(a, b), aggregates,
                                size_[at(left_[at(node)])] + size_[at(right_[at(node)])], size_[at(node)]);
}

bool OrderTree::turn_at(int node, unsigned choice, Turn& turn) const {
    int q = left_[at(node)], sibling = right_[at(node)];
    if ((choice & 1) != 0) std::swap(q, sibling);
    if (is_leaf(q)) std::swap(q, sibling);
    if (is_leaf(q)) return false;
    turn = {node, q, left_[at(q)], right_[at(q)], sibling};
    if ((choice & 2) != 0) std::swap(turn.stays, turn.leaves);
    return true;
}

double OrderTree::cost_after(Turn const& turn) {
    Word const *a = row(turn.stays), *c = row(turn.sibling), *b = row(turn.leaves), *p = row(turn.node);
    bool q_aggregates = false, p_aggregates = false;
    for (std::size_t w = 0; w < words_; ++w) {
        Word const all = a[w] | c[w];
        Word const left = all & (b[w] | p[w]);
        scratch_[w] = left;
        q_aggregates = q_aggregates || left != all;
        p_aggregates = p_aggregates || (left | b[w]) != p[w];
    }
    new_size_ = power_of_two(sets_.log_size(scratch_.data()));
    new_cost_q_ =
        step_cost(sets_.log_size(a, c), q_aggregates, size_[at(turn.stays)] + size_[at(turn.sibling)], new_size_);
    new_cost_node_ = step_cost(sets_.log_size(scratch_.data(), b), p_aggregates, size_[at(turn.leaves)] + new_size_,
                               size_[at(turn.node)]);
    return new_cost_q_ + new_cost_node_;
}

void OrderTree::take(Turn const& turn) {
    left_[at(turn.q)] = turn.stays;
    right_[at(turn.q)] = turn.sibling;
    left_[at(turn.node)] = turn.q;
    right_[at(turn.node)] = turn.leaves;
    std::copy(scratch_.begin(), scratch_.end(), row(turn.q));
    size_[at(turn.q)] = new_size_;
    cost_[at(turn.q)] = new_cost_q_;
    cost_[at(turn.node)] = new_cost_node_;
}

double OrderTree::cost() const {
    double sum = 0;
    for (std::size_t k = leaves_; k < cost_.size(); ++k) sum += cost_[k];
    return sum;
}

std::vector<int> OrderTree::post_order() const {
    std::vector<int> order, open{static_cast<int>(left_.size() - 1)};
    while (!open.empty()) {
        int const node = open.back();
        open.pop_back();
        if (is_leaf(node)) continue;
        order.push_back(node);
        open.push_back(left_[at(node)]);
        open.push_back(right_[at(node)]);
    }
    std::reverse(order.begin(), order.end());
    return order;
}

SsaPath OrderTree::path() const {
    std::vector<int> number(left_.size());
    for (std::size_t k = 0; k < leaves_; ++k) number[k] = static_cast<int>(k);
    SsaPath path;
    for (int node : post_order()) {
        path.emplace_back(number[at(left_[at(node)])], number[at(right_[at(node)])]);
        number[at(node)] = static_cast<int>(leaves_ + path.size() - 1);
    }
    return path;
}

}  // namespace ein::graph
