// Names in a join that are sound and hardly meant: an input called 'g/W' stands there as g divided by W.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/read/node_context.hpp"

namespace ein::graph {

/// An input whose name, as 'g/W' or 'W-next', is an expression of other names: in the join it is that expression.
void note_computed_names(NodeContext const& context, std::vector<std::string>& notes);

/// Steps of descent whose operands are exchanged, "x - eta*y" of a gradient and its tensor, or that go along the
/// gradient of another tensor.
void note_strange_steps(NodeContext const& context, std::vector<std::string>& notes);

}  // namespace ein::graph
