// What a value is computed from: the nodes behind it, each after those that it reads.
// On the way n-ary contractions become pairwise ones (add_contracted), as they would later: so their results on the way
// are there to be read, and a product of n operands has a gradient of 2(n - 1) products, not of n(n - 1).
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lib/graph/graph_builder.hpp"

namespace ein::graph::grad {

class Upstream {
public:
    Upstream(GraphBuilder& graph, ValueId of);

    /// The values that nodes make, in an order of computing them; the last one is `of`, unless that is a leaf.
    std::vector<ValueId> const& order() const { return order_; }
    /// Whether `value` is `of` or what it is computed from.
    bool has(ValueId value) const { return seen_.count(value) > 0; }
    /// A loop that has ended and whose results `of` is computed from, those from `value`: gradients do not go through
    /// it. Empty: there is none.
    std::string through_loop(ValueId value) const { return through(value, ended_); }
    /// The same of loops that have not ended: earlier iterations made of `value` what they carry.
    std::string through_iterations(ValueId value) const { return through(value, carried_); }

    /// Whether it is computed from what a loop carries that has not ended.
    bool reads_carried() const { return !carried_.empty(); }

private:
    /// What this did not look behind: a value that a loop leaves or carries, and the loop's name.
    using Stops = std::vector<std::pair<ValueId, std::string>>;
    std::string through(ValueId value, Stops const& stops) const;

    GraphBuilder& graph_;
    std::vector<ValueId> order_;
    std::unordered_set<ValueId> seen_;
    Stops ended_, carried_;
};

}  // namespace ein::graph::grad
