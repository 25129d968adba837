// What one reader of a value adds to the value's cotangent: kept as an operation that is not a node yet, so that terms
// can be added up in one node. A cotangent that is the same number everywhere is kept as that number: it needs no node,
// and ones and scales vanish into the joins that they meet. Example: of C = A B, A gets the term "ik,jk->ij" of C's
// cotangent and B; of mean(x), x gets 1/n.
#pragma once

#include <variant>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph::grad {

struct NodeTerm {
    std::variant<EinSum, Move, Reshape> op;
    std::vector<ValueId> inputs;
};

using Term = std::variant<double, NodeTerm>;

/// dL/dv of a value v: a value of v's shape and dtype, or the same number everywhere.
using Cotangent = std::variant<double, ValueId>;

/// A term and the value that it belongs to.
struct Contribution {
    ValueId to;
    Term term;
};

/// The elements of operands without change and in their places: the EinSum x -> x of some value.
inline bool is_copy(NodeTerm const& term) {
    auto const* einsum = std::get_if<EinSum>(&term.op);
    return einsum && einsum->operands() == 1 && einsum->join.op() == scalar::Op::operand &&
           einsum->inputs[0] == einsum->output && einsum->labels.size() == einsum->output.size();
}

}  // namespace ein::graph::grad
