// What other libraries have as one function and a graph says in nodes: which nodes to write. Names are looked up as
// they are, so that "cumsum" is answered with a prefix sum and not with "sum", which looks like it.
// Example: recipe_for("trace") is {"einsum": "ii->", "inputs": ["X"]}.
#pragma once

#include <string>
#include <string_view>

namespace ein::graph {

/// What stands behind "write "; "" for names that are no recipe's. "CrossEntropyLoss", "cross_entropy_loss" and
/// "cross_entropy" are one name.
std::string recipe_for(std::string_view written);

/// What to list for an op that has another number of inputs.
std::string mend_inputs(std::string_view op);

}  // namespace ein::graph
