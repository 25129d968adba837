// What a contraction order is chosen by: which labels each operand has, and how long they are. Labels that one operand
// has alone and the output lacks are not in it: they are aggregated before. Example: "ij,jk,kl->il" is operands ((0,
// 1), (1, 2), (2, 3)) with labels 0 and 3 kept.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/graph/contract/ssa_path.hpp"
#include "lib/graph/tuning.hpp"

namespace ein::graph {

struct Network {
    std::vector<double> extents;             // by label, at least 1
    std::vector<bool> kept;                  // by label: the output has it
    std::vector<std::vector<int>> operands;  // sorted, distinct

    double size(std::vector<int> const& labels) const;
    friend bool operator==(Network const&, Network const&) = default;
};

Network network_of(EinSum const& einsum);

/// Walks a path: for each step the labels of the result, and what it costs.
class PathWalk {
public:
    explicit PathWalk(Network const& network);
    /// Contracts two operands or results by their numbers. @return scalar operations: points, twice when a label is
    /// aggregated
    double contract(int a, int b);
    /// The same with what it reads and writes: see path_cost.
    double contract_with_words(int a, int b);
    std::vector<int> const& labels(int number) const { return labels_[static_cast<std::size_t>(number)]; }
    double size(int number) const { return network_.size(labels(number)); }
    /// The labels that contracting a and b would leave.
    std::vector<int> result_labels(int a, int b) const;

private:
    Network const& network_;
    std::vector<std::vector<int>> labels_;  // by number
    std::vector<int> holders_;              // by label: how many operands that are left have it
};

/// Scalar operations of all steps.
double path_operations(Network const& network, SsaPath const& path);

/// What orders are compared by, in operations: those of all steps, and for each element that a step reads or writes as
/// many as tuning::word_cost says.
double path_cost(Network const& network, SsaPath const& path);

/// Elements of the largest result of a step.
double largest_result(Network const& network, SsaPath const& path);

/// The cheapest order of all, outer products included. At most so many operands and 64 classes of labels (labels that
/// the same operands have count as one); nothing for more.
std::optional<SsaPath> optimal_path(Network const& network, std::size_t most_operands = tuning::most_optimal_operands);

/// A good order for any number of operands: greedy under several rules, then every small part of the best one made
/// optimal.
SsaPath greedy_path(Network const& network);

/// What makes a pair of operands good: a small result compared with what it replaces.
struct GreedyRule {
    bool logarithmic = false;  // compare logarithms, else sizes
    double weight = 1;         // of what is replaced
    double noise = 0;          // spreads the choice over near ties
    std::uint64_t seed = 0;
};
SsaPath greedy_draw(Network const& network, GreedyRule const& rule);

/// What greedy_path chooses from: a path for each rule and draw.
std::vector<SsaPath> greedy_paths(Network const& network);

/// The same path with parts of up to eight operands replaced by cheaper ones, while that helps.
SsaPath improve_path(Network const& network, SsaPath path);

/// optimal_path for few operands, greedy_path for more: at once, for networks of any size.
SsaPath good_path(Network const& network);

/// An affordable path whose results on the way are others than those of `known`, as far as that costs little: what one
/// order gets wrong shows in the other. The network may be a part of the one that `known` was found for (shorter
/// labels); its operands are the same.
struct OtherPath {
    SsaPath path;
    std::size_t shared = 0;  // results on the way that both paths have, of operands - 2
};
OtherPath other_path(Network const& network, SsaPath const& known);

}  // namespace ein::graph
