#include <algorithm>
#include <optional>

#include "lib/graph/contract/network.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {
namespace {

/// The path as a binary tree whose parts can be exchanged. Numbers are those of the SSA path; the last is the root.
class Tree {
public:
    Tree(Network const& network, SsaPath path)
        : network_(network), operands_(network.operands.size()), children_(std::move(path)) {
        PathWalk walk(network);
        labels_ = network.operands;
        settled_.resize(children_.size());
        for (auto const& [a, b] : children_) {
            walk.contract(a, b);
            labels_.push_back(walk.labels(static_cast<int>(labels_.size())));
        }
    }

    /// One pass over all nodes. @return whether any part became cheaper
    bool improve() {
        bool better = false;
        for (int node : post_order()) better = improve_below(node) || better;
        return better;
    }

    SsaPath path() const {
        std::vector<int> number(labels_.size());
        for (std::size_t k = 0; k < operands_; ++k) number[k] = static_cast<int>(k);
        SsaPath path;
        for (int node : post_order()) {
            auto const [a, b] = children(node);
            path.emplace_back(number[at(a)], number[at(b)]);
            number[at(node)] = static_cast<int>(operands_ + path.size() - 1);
        }
        return path;
    }

private:
    bool is_leaf(int node) const { return at(node) < operands_; }
    std::pair<int, int> const& children(int node) const { return children_[at(node) - operands_]; }

    /// Inner nodes, children first.
    std::vector<int> post_order() const {
        std::vector<int> order, open{static_cast<int>(labels_.size() - 1)};
        while (!open.empty()) {
            int const node = open.back();
            open.pop_back();
            if (is_leaf(node)) continue;
            order.push_back(node);
            open.push_back(children(node).first);
            open.push_back(children(node).second);
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

    /// A part of the tree: inner nodes under one root, and what hangs below them.
    struct Part {
        std::vector<int> inner, below;
    };

    /// A part's steps that cannot be better.
    struct Settled {
        Network network;
        SsaPath steps;
    };

    /// Grown from the root at the largest tensor, where there is most to gain.
    Part part_at(int root) const {
        Part part{{root}, {children(root).first, children(root).second}};
        while (part.below.size() < tuning::most_improved_parts) {
            auto largest = part.below.end();
            for (auto node = part.below.begin(); node != part.below.end(); ++node) {
                if (is_leaf(*node)) continue;
                if (largest == part.below.end() ||
                    network_.size(labels_[at(*node)]) > network_.size(labels_[at(*largest)]))
                    largest = node;
            }
            if (largest == part.below.end()) break;
            int const opened = *largest;
            part.inner.push_back(opened);
            *largest = children(opened).first;
            part.below.push_back(children(opened).second);
        }
        return part;
    }

    /// The part as a network of its own, with labels numbered anew.
    Network network_below(int root, Part const& part) const {
        std::vector<int> labels;
        for (int node : part.below) labels.insert(labels.end(), labels_[at(node)].begin(), labels_[at(node)].end());
        std::sort(labels.begin(), labels.end());
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
        Network network;
        for (int label : labels) {
            network.extents.push_back(network_.extents[at(label)]);
            network.kept.push_back(std::binary_search(labels_[at(root)].begin(), labels_[at(root)].end(), label));
        }
        for (int node : part.below) {
            network.operands.emplace_back();
            for (int label : labels_[at(node)])
                network.operands.back().push_back(
                    static_cast<int>(std::lower_bound(labels.begin(), labels.end(), label) - labels.begin()));
        }
        return network;
    }

    /// Today's steps inside the part, in its own numbers.
    SsaPath steps_of(Part const& part) const {
        std::vector<std::pair<int, int>> number;  // node, its number in the part
        for (std::size_t k = 0; k < part.below.size(); ++k) number.emplace_back(part.below[k], static_cast<int>(k));
        auto find = [&](int node) {
            return std::find_if(number.begin(), number.end(), [&](auto const& pair) { return pair.first == node; })
                ->second;
        };
        SsaPath steps;
        for (std::size_t k = part.inner.size(); k > 0;
             --k) {  // opened from the root down, so the reverse has children first
            int const node = part.inner[k - 1];
            steps.emplace_back(find(children(node).first), find(children(node).second));
            number.emplace_back(node, static_cast<int>(part.below.size() + steps.size() - 1));
        }
        return steps;
    }

    bool improve_below(int root) {
        Part const part = part_at(root);
        if (part.below.size() < 3) return false;
        Network const network = network_below(root, part);
        SsaPath const steps = steps_of(part);
        std::optional<Settled>& settled = settled_[at(root) - operands_];
        if (settled && settled->network == network && settled->steps == steps) return false;  // in an earlier pass
        auto const best = optimal_path(network);
        if (!best || !(path_cost(network, *best) < path_cost(network, steps) * (1 - 1e-12))) {
            settled = {network, steps};
            return false;
        }

        // The same inner nodes, the root last, take the new steps.
        std::vector<int> node_of(part.below);
        for (std::size_t k = part.inner.size(); k > 0; --k) node_of.push_back(part.inner[k - 1]);
        PathWalk walk(network);
        std::vector<int> names = names_of(part);
        for (std::size_t k = 0; k < best->size(); ++k) {
            auto const [a, b] = (*best)[k];
            int const node = node_of[part.below.size() + k];
            children_[at(node) - operands_] = {node_of[at(a)], node_of[at(b)]};
            walk.contract(a, b);
            labels_[at(node)].clear();
            for (int label : walk.labels(static_cast<int>(part.below.size() + k)))
                labels_[at(node)].push_back(names[at(label)]);
        }
        return true;
    }

    /// The labels of a part's network in the numbers of the whole.
    std::vector<int> names_of(Part const& part) const {
        std::vector<int> labels;
        for (int node : part.below) labels.insert(labels.end(), labels_[at(node)].begin(), labels_[at(node)].end());
        std::sort(labels.begin(), labels.end());
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
        return labels;
    }

    Network const& network_;
    std::size_t operands_;
    SsaPath children_;                             // of each inner node
    std::vector<std::vector<int>> labels_;         // of each node, sorted
    std::vector<std::optional<Settled>> settled_;  // by inner node, of the part below it
};

}  // namespace

SsaPath improve_path(Network const& network, SsaPath path) {
    if (network.operands.size() < 3 || network.operands.size() > tuning::most_improved_operands) return path;
    Tree tree(network, std::move(path));
    for (int pass = 0; pass < tuning::most_improving_passes; ++pass)
        if (!tree.improve()) break;
    return tree.path();
}

}  // namespace ein::graph
