// "params" of a graph file: names that joins may use, and their default values.
// Example: {"eta": 0.1} lets a join say "eta*x"; einrun --set eta=0.05 changes it.
#pragma once

#include "lib/base/json.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::graph {

scalar::Params read_params(Cursor const& params);

}  // namespace ein::graph
