// The second half of argmin and argmax (read/einsum/argbest.hpp): the least index at which a value is the best one, or
// a nan. Who has all values of an output at hand finds the index with the best value, in one reading. Example: m = max
// x over j; where(x == m || x != x, [j], 2^63 - 1) of "ij,i->i", min: value x, label j, best m.
#pragma once

#include <optional>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

struct BestSearch {
    scalar::Expr value;    // of the other operands
    int label = 0;         // whose index is looked for
    std::size_t best = 0;  // the operand that is the best value, of the output's labels
};

std::optional<BestSearch> as_best_search(EinSum const& einsum);

/// Whether `best` computes the value that `einsum` looks for, the least or the greatest, if its operands are the other
/// ones of `einsum` in their order.
bool is_best_of(EinSum const& best, EinSum const& einsum, BestSearch const& search);

}  // namespace ein::graph
