// What a value is computed from: the nodes behind it, each after those that it reads.
// On the way n-ary contractions become pairwise ones (add_contracted), as they would later: so their results on the way
// are there to be read, and a product of n operands has a gradient of 2(n - 1) products, not of n(n - 1).
#pragma once

#include <unordered_set>
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
    /// A loop whose results `of` is computed from: gradients do not go through it. Empty: there is none.
    std::string const& ended_loop() const { return ended_loop_; }

private:
    std::vector<ValueId> order_;
    std::unordered_set<ValueId> seen_;
    std::string ended_loop_;
};

}  // namespace ein::graph::grad
