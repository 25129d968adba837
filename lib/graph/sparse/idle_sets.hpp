// Where an EinSum need not look: an operand that does not list an element has its fill there, and where the join with
// that fill is what the aggregation begins with, the element contributes nothing, whatever the other operands hold.
// Example: of A * x under sum, A with fill 0: the set {A}. Of A * B both {A} and {B}: what both list contributes. Of
// A + B, no aggregation: {A, B}: what either lists. Of A + x, x dense: no set; A must be made dense.
//
// A sparse operand that is in no set decides nothing. It is looked up where those in sets list something: it has its
// value there where it lists one, else its fill. Example: of A * exp(B) the set {A}, B looked up. That needs an index
// for each of its axes: all its labels are labels of what decides, whoever of a set lists an element. Of
// "ij,jk->ik" B would be looked up at all k, and a dense copy is as good: it is made dense.
//
// A lookup (row_lookup.hpp) takes one element for each of its results, whatever the fill: where that is not 0, only a
// sparse result leaves it out.
//
// 0 * x is 0 here also for an x that is infinite or nan, and likewise for every function that one argument decides:
// what is not listed contributes nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

struct IdleSets {
    /// Sets of operands, none within another: where all of one set are not listed, nothing is contributed.
    std::vector<std::vector<int>> sets;
    /// Of an output element to which nothing contributes, in the output's dtype; with a set, there is one.
    std::optional<scalar::Scalar> fill;
    /// Sparse operands in no set that are looked up.
    std::vector<int> looked_up = {};

    /// Whether it is in a set.
    bool decides(int operand) const;
    bool reads_sparse(int operand) const;
};

/// What stands for an operand where a set decides without it, in `type`: the join gives the same for any other.
scalar::Scalar any_value(DType type);

/// A label of an operand for which what the sets list gives no index; nothing: it could be looked up.
std::optional<int> label_not_listed(EinSum const& einsum, std::vector<std::vector<int>> const& sets,
                                    std::size_t operand);

/// @param fills  of each operand that is sparse, in its dtype; nothing of dense ones
IdleSets idle_sets(EinSum const& einsum, std::span<DType const> inputs,
                   std::span<std::optional<scalar::Scalar> const> fills, DType output);
/// Of any node: of what moves elements, all inputs together where it can be kept sparse (moved.hpp).
IdleSets idle_sets(EinGraph const& graph, Node const& node);

}  // namespace ein::graph
