// How a gradient is written that a file has in another form: as other libraries name its parts, or beside "grad" in
// place of within. Example: {"grad": ["loss", "W"]} is to be {"of": "loss", "wrt": ["W"]}.
#pragma once

#include <string>

#include "lib/base/json.hpp"

namespace ein::graph {

/// What to write for a node's "grad" that is no object, with the names that stand in the node.
std::string gradient_form(Cursor const& node);

/// A fault for each key that a gradient does not have, in "grad" and beside it.
void check_gradient_keys(Cursor const& node);

}  // namespace ein::graph
