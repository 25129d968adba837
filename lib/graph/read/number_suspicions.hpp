// Numbers of an EinSum node that are sound and hardly meant, for notes: fractions that a type of integers drops, sums
// that a narrow one does not hold, and 0*inf. Example: the sum of a u8 tensor (200,) has room for 255 in all.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/read/node_context.hpp"

namespace ein::graph {

/// Of a node that was read (context.written). @param params  with their values in the file
std::vector<std::string> number_suspicions(NodeContext const& context, scalar::Params const& params);

}  // namespace ein::graph
